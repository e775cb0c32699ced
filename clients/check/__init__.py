"""Checks of a referee from outside: of any address that speaks artreferee.v1."""
