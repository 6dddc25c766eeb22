"""Validates JSON files against a JSON Schema: schema_test.py SCHEMA FILE..."""

import json
import sys

import jsonschema


def not_a_number(text):
    raise ValueError(f"{text} is not JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=not_a_number)


def problems(validator, path):
    """One line for each, with its place."""
    try:
        document = load(path)
    except (OSError, ValueError) as error:
        return [f"{path}: {error}"]
    return [f"{path}: {error.json_path}: {error.message}"
            for error in validator.iter_errors(document)]


def main(arguments):
    if len(arguments) < 2:
        print("usage: schema_test.py SCHEMA FILE...", file=sys.stderr)
        return 2
    schema = load(arguments[0])
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    found = [problem for path in arguments[1:] for problem in problems(validator, path)]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
