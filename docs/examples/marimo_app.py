"""A marimo notebook: a threshold is moved, the report follows."""

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB

    import reportgen as rg

    return GaussianNB, load_breast_cancer, mo, rg, train_test_split


@app.cell
def _(GaussianNB, load_breast_cancer, train_test_split):
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    scores = GaussianNB().fit(X_train, y_train).predict_proba(X_test)[:, 0]
    return scores, y_test


@app.cell
def _(mo):
    threshold = mo.ui.slider(0.05, 0.95, step=0.05, value=0.5, label="Threshold")
    threshold
    return (threshold,)


@app.cell
def _(rg, scores, threshold, y_test):
    report = rg.evaluate(
        y_test, scores={"Naive Bayes": scores}, threshold=threshold.value, positive=0
    )
    report
    return (report,)


if __name__ == "__main__":
    app.run()
