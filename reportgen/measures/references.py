"""The publications that define the measures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LiteratureReference:
    """A publication."""

    authors: str
    year: int | None
    title: str
    publication: str

    @property
    def short_citation(self) -> str:
        """The citation in short form."""
        return f"{self.authors} {self.year}" if self.year else self.authors


@dataclass(frozen=True, slots=True)
class Source:
    """The place in a publication where a measure is defined."""

    reference: LiteratureReference
    location: str = ""

    @property
    def citation(self) -> str:
        """The citation with the equation or section."""
        return (
            f"{self.reference.short_citation}, {self.location}"
            if self.location
            else self.reference.short_citation
        )


SJS_2006 = LiteratureReference(
    "Sokolova, Japkowicz and Szpakowicz",
    2006,
    "Beyond Accuracy, F-score and ROC: a Family of Discriminant Measures for Performance"
    " Evaluation",
    "AAAI Workshop on Evaluation Methods for Machine Learning",
)
EL_EMAM_2000 = LiteratureReference(
    "El Emam et al.",
    2000,
    "Evaluating the accuracy of binary classifiers",
    "appendix of a technical report on predicting high-risk software components",
)
PASSERINI = LiteratureReference(
    "Passerini", None, "Evaluation", "lecture notes on machine learning"
)
COHEN_1960 = LiteratureReference(
    "Cohen",
    1960,
    "A coefficient of agreement for nominal scales",
    "Educational and Psychological Measurement 20:37-46",
)
COHEN_1968 = LiteratureReference(
    "Cohen",
    1968,
    "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial"
    " credit",
    "Psychological Bulletin 70:213-220",
)
EPSTEIN_1969 = LiteratureReference(
    "Epstein",
    1969,
    "A scoring system for probability forecasts of ranked categories",
    "Journal of Applied Meteorology 8:985-987",
)
BACCIANELLA_2009 = LiteratureReference(
    "Baccianella, Esuli and Sebastiani",
    2009,
    "Evaluation measures for ordinal regression",
    "Proceedings of ISDA 2009, 283-287",
)
GAUDETTE_2009 = LiteratureReference(
    "Gaudette and Japkowicz",
    2009,
    "Evaluation methods for ordinal classification",
    "Canadian AI 2009, LNCS 5549:207-210",
)
SCHAPIRE_2000 = LiteratureReference(
    "Schapire and Singer",
    2000,
    "BoosTexter: a boosting-based system for text categorization",
    "Machine Learning 39:135-168",
)
GODBOLE_2004 = LiteratureReference(
    "Godbole and Sarawagi",
    2004,
    "Discriminative methods for multi-labeled classification",
    "PAKDD 2004, LNCS 3056:22-30",
)
ZHANG_2014 = LiteratureReference(
    "Zhang and Zhou",
    2014,
    "A review on multi-label learning algorithms",
    "IEEE Transactions on Knowledge and Data Engineering 26:1819-1837",
)
GLAS_2003 = LiteratureReference(
    "Glas et al.",
    2003,
    "The diagnostic odds ratio: a single indicator of test performance",
    "Journal of Clinical Epidemiology 56:1129-1135",
)
GORODKIN_2004 = LiteratureReference(
    "Gorodkin",
    2004,
    "Comparing two K-category assignments by a K-category correlation coefficient",
    "Computational Biology and Chemistry 28:367-374",
)
JACCARD_1901 = LiteratureReference(
    "Jaccard",
    1901,
    "Étude comparative de la distribution florale dans une portion des Alpes et des Jura",
    "Bulletin de la Société vaudoise des sciences naturelles 37:547-579",
)
KUBAT_1998 = LiteratureReference(
    "Kubat, Holte and Matwin",
    1998,
    "Machine learning for the detection of oil spills in satellite radar images",
    "Machine Learning 30:195-215",
)
POWERS_2011 = LiteratureReference(
    "Powers",
    2011,
    "Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and"
    " correlation",
    "Journal of Machine Learning Technologies 2:37-63",
)
BRIN_1997 = LiteratureReference(
    "Brin et al.",
    1997,
    "Dynamic itemset counting and implication rules for market basket data",
    "SIGMOD Record 26:255-264",
)
DRAPER_1998 = LiteratureReference(
    "Draper and Smith", 1998, "Applied Regression Analysis", "Wiley, third edition"
)
WILLMOTT_2005 = LiteratureReference(
    "Willmott and Matsuura",
    2005,
    "Advantages of the mean absolute error over the root mean square error",
    "Climate Research 30:79-82",
)
HANLEY_1982 = LiteratureReference(
    "Hanley and McNeil",
    1982,
    "The meaning and use of the area under a receiver operating characteristic (ROC) curve",
    "Radiology 143:29-36",
)
MANNING_2008 = LiteratureReference(
    "Manning, Raghavan and Schütze",
    2008,
    "Introduction to Information Retrieval",
    "Cambridge University Press",
)
DAVIS_2006 = LiteratureReference(
    "Davis and Goadrich",
    2006,
    "The relationship between precision-recall and ROC curves",
    "International Conference on Machine Learning, 233-240",
)
BRIER_1950 = LiteratureReference(
    "Brier",
    1950,
    "Verification of forecasts expressed in terms of probability",
    "Monthly Weather Review 78:1-3",
)
GOOD_1952 = LiteratureReference(
    "Good", 1952, "Rational decisions", "Journal of the Royal Statistical Society B 14:107-114"
)
GUO_2017 = LiteratureReference(
    "Guo et al.",
    2017,
    "On calibration of modern neural networks",
    "International Conference on Machine Learning, 1321-1330",
)
KONONENKO_1991 = LiteratureReference(
    "Kononenko and Bratko",
    1991,
    "Information-based evaluation criterion for classifier's performance",
    "Machine Learning 6:67-80",
)
VICKERS_2006 = LiteratureReference(
    "Vickers and Elkin",
    2006,
    "Decision curve analysis: a novel method for evaluating prediction models",
    "Medical Decision Making 26:565-574",
)
DRUMMOND_2006 = LiteratureReference(
    "Drummond and Holte",
    2006,
    "Cost curves: an improved method for visualizing classifier performance",
    "Machine Learning 65:95-130",
)
MCCLISH_1989 = LiteratureReference(
    "McClish",
    1989,
    "Analyzing a portion of the ROC curve",
    "Medical Decision Making 9:190-195",
)
PEPE_2003 = LiteratureReference(
    "Pepe",
    2003,
    "The Statistical Evaluation of Medical Tests for Classification and Prediction",
    "Oxford University Press",
)
VUK_2006 = LiteratureReference(
    "Vuk and Curk",
    2006,
    "ROC curve, lift chart and calibration plot",
    "Metodološki zvezki 3:89-108",
)
MASSEY_1951 = LiteratureReference(
    "Massey",
    1951,
    "The Kolmogorov-Smirnov test for goodness of fit",
    "Journal of the American Statistical Association 46:68-78",
)
THARWAT_2021 = LiteratureReference(
    "Tharwat",
    2021,
    "Classification assessment methods",
    "Applied Computing and Informatics 17:168-192",
)
KUHN_2008 = LiteratureReference(
    "Kuhn",
    2008,
    "Building predictive models in R using the caret package",
    "Journal of Statistical Software 28(5)",
)
FOWLKES_1983 = LiteratureReference(
    "Fowlkes and Mallows",
    1983,
    "A method for comparing two hierarchical clusterings",
    "Journal of the American Statistical Association 78:553-569",
)
PEARSON_1900 = LiteratureReference(
    "Pearson",
    1900,
    "On the criterion that a given system of deviations from the probable in the case of a"
    " correlated system of variables is such that it can be reasonably supposed to have arisen from"
    " random sampling",
    "Philosophical Magazine 50:157-175",
)
SOKOLOVA_2009 = LiteratureReference(
    "Sokolova and Lapalme",
    2009,
    "A systematic analysis of performance measures for classification tasks",
    "Information Processing and Management 45:427-437",
)
OWN_DEFINITION = LiteratureReference("This spec", None, "Defined in [[measures.own]]", "")
