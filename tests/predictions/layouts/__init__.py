"""Prediction files as people have them, made from predictions of scikit-learn."""
