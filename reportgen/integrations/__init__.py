"""Connections to other tools: pytest and MLflow. Neither is a dependency of reportgen."""
