"""What runs by itself: runs nobody watches, their history, schedules, messages and a site."""
