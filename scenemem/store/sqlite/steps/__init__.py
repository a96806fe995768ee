"""The steps by which older files reach today's schema, one file each, never changed afterwards."""
