"""Programs that play without the client library, to begin from: they are run as files."""
