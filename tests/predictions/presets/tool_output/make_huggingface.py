"""Classify texts with transformers; run in this folder: python make_huggingface.py.

The model is a small BERT with its own vocabulary, trained here, because none can be downloaded.
"""

import csv
import json
import random
import tempfile
from pathlib import Path

import torch
from datasets import ClassLabel, Dataset
from sklearn.metrics import accuracy_score, cohen_kappa_score, log_loss, roc_auc_score
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
    Trainer,
    TrainingArguments,
    pipeline,
    set_seed,
)

HERE = Path(__file__).parent
folder = Path(tempfile.mkdtemp())
set_seed(0)
rows = []
WORDS = {
    "refund": "money invoice charged refund paid double bill",
    "delivery": "parcel late courier address lost tracking door",
    "account": "password login email locked reset user name",
}


def texts_of(names, size, seed):
    draw = random.Random(seed)
    labels = [draw.choice(range(len(names))) for _ in range(size)]
    # Half of the words are those of any topic, so that the classifier makes mistakes.
    every = [word for name in names for word in WORDS[name].split()]
    texts = [
        " ".join(
            draw.choice(WORDS[names[label]].split() if draw.random() < 0.35 else every)
            for _ in range(6)
        )
        for label in labels
    ]
    return texts, labels


def train(names, labelled):
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary += [word for text in WORDS.values() for word in text.split()]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"))
    named = {"id2label": dict(enumerate(names)), "label2id": {n: i for i, n in enumerate(names)}}
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        num_labels=len(names),
        **(named if labelled else {}),
    )
    model = BertForSequenceClassification(config)
    texts, labels = texts_of(names, 400, 1)
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model.train()
    for _ in range(60):
        loss = model(**inputs, labels=torch.tensor(labels)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval(), tokenizer


def keep(name, truth, predicted, scores):
    rows.append((name, "accuracy", repr(float(accuracy_score(truth, predicted)))))
    rows.append((name, "kappa", repr(float(cohen_kappa_score(truth, predicted)))))
    if scores is not None and len(set(truth)) == 2:
        positive = [int(label == sorted(set(truth))[1]) for label in truth]
        rows.append((name, "roc_auc", repr(float(roc_auc_score(positive, scores)))))
        rows.append((name, "log_loss", repr(float(log_loss(positive, scores)))))


# Two classes without names: LABEL_0 and LABEL_1, all scores or the best one.
two = ["delivery", "refund"]
model, tokenizer = train(two, labelled=False)
texts, labels = texts_of(two, 60, 2)
classify = pipeline("text-classification", model=model, tokenizer=tokenizer, device="cpu")
every, best = classify(texts, top_k=None), classify(texts)
scores = [next(i["score"] for i in item if i["label"] == "LABEL_1") for item in every]
predicted = [int(item[0]["label"][-1]) for item in every]
for name, outputs in {"huggingface_all.jsonl": every, "huggingface_top.jsonl": best}.items():
    with (HERE / name).open("w", encoding="utf-8") as file:
        for text, label, output in zip(texts, labels, outputs, strict=True):
            file.write(json.dumps({"text": text, "label": label, "prediction": output}) + "\n")
    keep(name, labels, predicted, scores)

# A data set with the names of classes, and a column for the output of the pipeline.
three = list(WORDS)
model, tokenizer = train(three, labelled=True)
texts, labels = texts_of(three, 60, 3)
classify = pipeline("text-classification", model=model, tokenizer=tokenizer, device="cpu")
data = Dataset.from_dict({"text": texts, "label": labels})
data = data.cast_column("label", ClassLabel(names=three))
names = [data.features["label"].int2str(label) for label in labels]
outputs = classify(texts, top_k=None)
answered = data.remove_columns("label").add_column("label", names)
answered = answered.add_column("prediction", outputs)
answered.to_json(HERE / "huggingface_dataset.jsonl")
answered.to_parquet(HERE / "huggingface_dataset.parquet")
answers = [output[0]["label"] for output in outputs]
for name in ("huggingface_dataset.jsonl", "huggingface_dataset.parquet"):
    keep(name, names, answers, None)

# `Trainer.predict`: logits and label ids.
encoded = data.map(lambda row: tokenizer(row["text"], padding="max_length", max_length=16))
trainer = Trainer(model=model, args=TrainingArguments(folder / "out", report_to=[], use_cpu=True))
output = trainer.predict(encoded)
shares = torch.softmax(torch.tensor(output.predictions), dim=1).tolist()
classes = output.predictions.argmax(axis=1).tolist()
Dataset.from_dict(
    {"label": output.label_ids.tolist(), "prediction": classes, "probabilities": shares}
).to_json(HERE / "huggingface_trainer.jsonl")
keep("huggingface_trainer.jsonl", output.label_ids.tolist(), classes, None)
rows.append(
    ("huggingface_trainer.jsonl", "log_loss", repr(float(log_loss(output.label_ids, shares))))
)

with (HERE / "huggingface_values.csv").open("w", newline="") as stream:
    csv.writer(stream).writerows([("file", "measure", "value"), *rows])
