"""Notifications of run outcomes by email, webhook and command."""
