"""What `replay explain` shows and writes. Paths come from the environment, see CMakeLists.txt."""

import json
import unittest

import jsonschema
import outputs_test
import recorded_test

SCHEMA = recorded_test.TESTS.parent / "docs/schema/explanation-1.schema.json"
BOUNDS = ("all_waits", "all_balanced", "both")


class Explain(outputs_test.Base):
    def explain(self, *options, code=0):
        done = self.run_tool("replay", "explain", "trace", "--model", "model.json", *options)
        self.assertEqual(done.code, code, done)
        return done

    def explanation(self, *options):
        document = json.loads(self.explain("-o", "-", *options).out)
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))
        return document

    def test_numbers(self):
        document = self.explanation("--no-interval")
        time = self.result()["time_s"]
        self.assertEqual(document["time_s"], {"value": time, "low": None, "high": None})
        path = document["critical_path"]
        self.assertAlmostEqual(sum(part["seconds"] for part in path["parts"]), time, delta=1e-12)
        self.assertAlmostEqual(sum(step["to_s"] - step["from_s"] for step in path["steps"]), time, delta=1e-12)
        self.assertEqual(path["left_out"], 0)
        seconds = [part["seconds"] for part in path["parts"]]
        self.assertEqual(seconds, sorted(seconds, reverse=True))

    def test_answers(self):
        document = self.explanation("--no-interval")
        time = document["time_s"]["value"]
        answers = document["answers"]
        gains = [answer["gain_s"]["value"] for answer in answers]
        self.assertEqual(gains, sorted(gains, reverse=True))
        for answer in answers:
            self.assertAlmostEqual(answer["time_s"]["value"] + answer["gain_s"]["value"], time, delta=1e-12)
        kinds = {answer["kind"] for answer in answers}
        self.assertLessEqual({"wait", "call_site", "rank", "all_waits", "both"}, kinds)
        bounds = {answer["kind"]: answer["time_s"]["value"] for answer in answers if answer["kind"] in BOUNDS}
        waits = [answer["time_s"]["value"] for answer in answers
                 if answer["kind"] in ("wait", "call_site", "region", "rank", "domino_path")]
        self.assertGreaterEqual(min(waits) * (1 + 1e-12), bounds["all_waits"])
        confirmed = [answer for answer in answers if answer["confirmed_s"] is not None]
        self.assertGreater(len(confirmed), 0)
        self.assertLessEqual(len(confirmed), 20)
        self.assertFalse(any(one["confirmed_s"] for one in self.explanation("--no-interval", "--confirm", "0")["answers"]))

    def test_text(self):
        text = self.explain("--no-interval").out
        for title in ("What would help first", "Where the time goes", "How evenly computing is divided",
                      "How much there is to gain at most"):
            self.assertIn(title, text)
        self.assertRegex(text, r"  1\. .*: without them the run takes .* instead of .* \(-\S+ %\)\n     \w+")

    def test_interval(self):
        estimate = self.explanation()["time_s"]
        if estimate["low"] is not None:
            self.assertLessEqual(estimate["low"], estimate["value"])
            self.assertGreaterEqual(estimate["high"], estimate["value"])

    def test_refused(self):
        self.assertIn("it is in the archive that is read", self.explain("-o", "trace/e.json", code=2).err)
        self.assertFalse((self.directory / "trace/e.json").exists())
        self.assertIn("model.json", self.explain("-o", "model.json", code=2).err)
        self.assertNotEqual(self.run_tool("replay", "explain", "trace", "--model", "model.json", "--confirm", "-1").code, 0)

    def test_a_draw_of_what_chance_does(self):
        self.assertIn("this is one draw, of seed 1", self.explain("--jitter", "1:9us").err)


if __name__ == "__main__":
    unittest.main()
