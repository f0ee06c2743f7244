"""When reports are built by themselves: cron lines, the scheduler, units for other schedulers."""
