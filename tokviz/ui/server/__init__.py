"""The server: its doors, its visitors and their memory, sockets, rooms, and the line for work."""
