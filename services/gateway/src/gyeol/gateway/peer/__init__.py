"""The services behind the gateway, as the gateway needs them."""
