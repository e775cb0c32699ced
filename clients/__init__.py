"""Programs that use the referee as anyone could."""
