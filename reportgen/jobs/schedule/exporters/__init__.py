"""Exporters of schedules to systemd, cron, GitHub Actions, Airflow and Kubernetes."""
