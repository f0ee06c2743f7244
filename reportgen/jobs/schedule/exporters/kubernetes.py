"""Exporter for Kubernetes: a CronJob."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reportgen.jobs.schedule.exporters.context import ExportedFile
from reportgen.jobs.schedule.exporters.crontab import portable_cron_line

if TYPE_CHECKING:
    from reportgen.jobs.schedule.exporters.context import ExportContext

CRON_JOB_TEMPLATE = """\
# Written by `reportgen schedule export kubernetes`.
# The volume claim "reportgen" holds what this folder has: specs, their data and {reports}.
{jitter}apiVersion: batch/v1
kind: CronJob
metadata:
  name: {name}
  labels:
    app.kubernetes.io/name: reportgen
spec:
  schedule: {cron}
  timeZone: {timezone}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 3600
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 3
  jobTemplate:
    spec:
      backoffLimit: {retries}
      # A failed gate and a wrong spec are not tried again.
      podFailurePolicy:
        rules:
          - action: FailJob
            onExitCodes:
              operator: In
              values: [1, 2]
      template:
        metadata:
          labels:
            app.kubernetes.io/name: reportgen
        spec:
          restartPolicy: Never
          automountServiceAccountToken: false
          securityContext:
            runAsNonRoot: true
            runAsUser: 10001
            fsGroup: 10001
            seccompProfile:
              type: RuntimeDefault
          containers:
            - name: reportgen
              image: {image}
              command: ["reportgen"]
              args: {arguments}
              workingDir: /work
{environment}\
              resources:
                requests:
                  cpu: 500m
                  memory: 1Gi
                limits:
                  memory: 2Gi
              securityContext:
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                capabilities:
                  drop: ["ALL"]
              volumeMounts:
                - name: work
                  mountPath: /work
                - name: tmp
                  mountPath: /tmp
          volumes:
            - name: work
              persistentVolumeClaim:
                claimName: reportgen
            - name: tmp
              emptyDir: {{}}
"""

VARIABLE_TEMPLATE = """\
                - name: {name}
                  valueFrom:
                    secretKeyRef:
                      name: reportgen
                      key: {name}
"""


def export_kubernetes(context: ExportContext) -> tuple[ExportedFile, ...]:
    """Return a CronJob that builds a spec of the working directory, mounted from a volume."""
    planned = context.scheduled_spec
    reports = context.relative_path(context.output)
    arguments = ["build", "--output", reports, "--", context.relative_path(planned.path)]
    named = "".join(VARIABLE_TEMPLATE.format(name=name) for name in planned.environment_variables)
    text = CRON_JOB_TEMPLATE.format(
        reports=reports,
        jitter="# Kubernetes knows no jitter: the schedule's is left out.\n"
        if planned.schedule.jitter
        else "",
        name=context.unit_name,
        cron=_yaml_value(portable_cron_line(context)),
        timezone=_yaml_value(planned.schedule.timezone),
        retries=planned.schedule.retries,
        image=_yaml_value(context.image),
        # Kubernetes would substitute a variable for $(NAME).
        arguments=_yaml_value([argument.replace("$(", "$$(") for argument in arguments]),
        environment=f"              env:\n{named}" if named else "",
    )
    return (ExportedFile(f"{context.unit_name}.yaml", text),)


def _yaml_value(value: str | list[str]) -> str:
    """Return a value as JSON, which is also valid YAML."""
    return json.dumps(value, ensure_ascii=False)
