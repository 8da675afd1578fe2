"""Real clients of the running app, as cheap as they can be: their sockets and pages without a browser around them."""
