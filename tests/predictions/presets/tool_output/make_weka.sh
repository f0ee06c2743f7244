#!/bin/sh
# Cross-validation with Weka; run in this folder, after make_caret.R:
#   WEKA39=…/weka.jar:…/core.jar:…/mtj.jar:…/arpack_combined.jar WEKA36=…/weka.jar sh make_weka.sh
set -eu
output=weka.classifiers.evaluation.output.prediction
values=weka_values.csv
echo "file,measure,value" > "$values"

# Weka prints its own summary without the predictions; the last one is that of cross-validation.
summarize() {
  file=$1
  shift
  java "$@" -v 2> /dev/null | awk -v file="$file" '
    /^Correctly Classified Instances/ { printf "%s,accuracy,%s/100\n", file, $5 }
    /^Kappa statistic/ { printf "%s,kappa,%s\n", file, $3 }
    /^Mean absolute error/ { error = $4 }
    /^Root mean squared error/ { squared = $5 }
    END { if (squared && file ~ /numbers/) printf "%s,mae,%s\n%s,rmse,%s\n", file, error, file, squared }
  ' >> "$values"
}
new() {
  file=$1 options=$2
  shift 2
  java -cp "$WEKA39" "$@" -classifications "$output.$options -file $file" > /dev/null 2>&1
  summarize "$file" -cp "$WEKA39" "$@"
}
bayes="weka.classifiers.bayes.NaiveBayes -t pima.arff -x 4 -s 1"
tree="weka.classifiers.trees.J48 -t pima.arff -x 4 -s 1"
new weka_bayes.csv "CSV -suppress" $bayes
new weka_tree.csv "CSV -distribution -decimals 6 -suppress" $tree
new weka_tree_tabs.csv "CSV -use-tab -distribution -suppress" $tree
new weka_tree.txt "PlainText -p 1,2 -distribution" $tree
new weka_flowers.csv "CSV -distribution -suppress" weka.classifiers.bayes.NaiveBayes -t flowers.arff -x 3 -s 2
new weka_numbers.csv "CSV -decimals 6 -suppress" weka.classifiers.functions.SimpleLinearRegression -t cars.arff -x 4 -s 3
# Version 3.6 prints predictions to the terminal.
java -cp "$WEKA36" $tree -p 0 > weka36_tree.txt 2> /dev/null
summarize weka36_tree.txt -cp "$WEKA36" $tree
java -cp "$WEKA36" $tree -p 0 -distribution > weka36_distribution.txt 2> /dev/null
summarize weka36_distribution.txt -cp "$WEKA36" $tree
