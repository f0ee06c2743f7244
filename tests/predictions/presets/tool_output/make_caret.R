# Cross-validation with caret; run in this folder: Rscript make_caret.R
library(caret)
values <- NULL
# What caret itself computes of the predictions, without the code that is tested.
compute <- function(file, pred) {
  if (is.numeric(pred$obs)) {
    found <- c(mae = MAE(pred$pred, pred$obs), rmse = RMSE(pred$pred, pred$obs))
  } else {
    matrix <- confusionMatrix(pred$pred, pred$obs, positive = levels(pred$obs)[2])
    found <- c(accuracy = matrix$overall[["Accuracy"]], kappa = matrix$overall[["Kappa"]])
    if (nlevels(pred$obs) == 2) found["sensitivity"] <- matrix$byClass[["Sensitivity"]]
  }
  values <<- rbind(values, data.frame(file = file, measure = names(found),
                                      value = format(found, digits = 15, trim = TRUE)))
}
keep <- function(file, pred) {
  write.csv(pred, file)
  compute(file, pred)
}
cases <- MASS::Pima.te[1:120, c("npreg", "bmi", "ped", "type")]
control <- trainControl(method = "repeatedcv", number = 4, repeats = 2, classProbs = TRUE,
                        savePredictions = "final")
set.seed(1)
forest <- train(type ~ ., data = cases, method = "rf", ntree = 25, tuneLength = 2,
                trControl = control)
set.seed(1) # the same folds
logistic <- train(type ~ ., data = cases, method = "glm", trControl = control)
keep("caret_forest.csv", forest$pred)
keep("caret_logistic.csv", logistic$pred)
control$savePredictions <- "all"
set.seed(1)
tuned <- train(type ~ ., data = cases, method = "rf", ntree = 25,
               tuneGrid = data.frame(mtry = 1:2), trControl = control)
write.csv(tuned$pred, "caret_tuned.csv")
compute("caret_tuned.csv", tuned$pred[tuned$pred$mtry == 2, ])
set.seed(2)
flowers <- iris[sample(nrow(iris), 90), c("Sepal.Length", "Sepal.Width", "Species")]
leave_one_out <- train(Species ~ ., data = flowers, method = "lda",
                       trControl = trainControl(method = "LOOCV", savePredictions = "final"))
keep("caret_loocv.csv", leave_one_out$pred)
set.seed(3)
bootstrap <- train(Species ~ ., data = flowers, method = "lda",
                   trControl = trainControl(method = "boot", number = 3,
                                            savePredictions = "final"))
keep("caret_bootstrap.csv", bootstrap$pred)
set.seed(4)
numbers <- train(mpg ~ wt + hp, data = mtcars, method = "lm",
                 trControl = trainControl(method = "cv", number = 4, savePredictions = "final"))
keep("caret_numbers.csv", numbers$pred)
write.csv(values, "caret_values.csv", row.names = FALSE, quote = FALSE)

# The same data for Weka.
write_arff <- function(file, data) {
  types <- sapply(data, function(column) {
    if (is.factor(column)) paste0("{", paste(levels(column), collapse = ","), "}") else "numeric"
  })
  writeLines(c("@relation cases", paste("@attribute", names(data), types), "@data"), file)
  write.table(data, file, append = TRUE, sep = ",", quote = FALSE, row.names = FALSE,
              col.names = FALSE)
}
write_arff("pima.arff", cases)
write_arff("flowers.arff", flowers)
write_arff("cars.arff", mtcars[, c("wt", "hp", "mpg")])
