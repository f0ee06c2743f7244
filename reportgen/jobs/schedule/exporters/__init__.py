"""Schedules as other schedulers take them: systemd, cron, GitHub, Airflow and Kubernetes."""
