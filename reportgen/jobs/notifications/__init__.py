"""Who is told how a run ended, and how: letters, webhooks, commands."""
