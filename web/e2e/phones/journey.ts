import assert from "node:assert/strict";
import type { line } from "../line.ts";
import { words } from "../words.ts";
import { machine, operatorPassword, type Company } from "./company.ts";
import { until, type Phone } from "./webdriver.ts";

const en = words("en");
const es = words("es");

type Words = typeof en;
type Line = Awaited<ReturnType<typeof line>>;

/** The files that the page has loaded, and of which the service worker has no copy. */
const notCached = `
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const files = loaded.filter((name) => name.startsWith(location.origin + "/assets/"));
  return Promise.all(files.map((file) => caches.match(file)))
    .then((copies) => files.filter((_, index) => !copies[index]));`;

/**
 * The journeys of two operators who share a phone. `cut` is its connection to the product; `picture`
 * is called after each step.
 */
export async function play(
  phone: Phone,
  { maria, juan, stored }: Company,
  cut: Line,
  picture: () => Promise<void>,
) {
  const { origin } = cut;

  async function step(what: string, act: () => Promise<void>) {
    const start = Date.now();
    await act();
    const wide = await phone.script("return document.documentElement.scrollWidth - innerWidth");
    assert.ok(Number(wide) <= 0, `${what}: the page is ${String(wide)} px too wide`);
    await picture();
    console.log(`  ${what} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  }

  const storedIs = (...expected: string[]) =>
    until(`on the server: ${expected.join("; ")}`, async () =>
      assert.deepEqual(await stored(), expected),
    );

  const ready = async (t: Words) => {
    await phone.see("heading", t("shell.titles.equipmentUpdates"));
    await phone.see("button", t("operator.form.submit"));
    await phone.see("heading", t("operator.list.title"));
  };

  async function signIn(t: Words, name: string) {
    await phone.goto(`${origin}/employee-login`);
    await phone.fill(t("auth.operatorLogin.name"), name);
    await phone.fill(t("auth.password"), operatorPassword);
    await phone.click("button", t("auth.operatorLogin.submit"));
    await ready(t);
  }

  async function choose(t: Words) {
    await phone.click("button", new RegExp(`^${t("operator.form.equipment")}`));
    await phone.fill(t("operator.picker.search"), "cat");
    await phone.click("button", new RegExp(`^${machine}`));
  }

  async function report(t: Words, reading: string) {
    await choose(t);
    await phone.fill(t("operator.form.readingHours"), reading);
    await phone.click("button", t("operator.form.submit"));
  }

  const unsent = (t: Words, count: number) =>
    phone.text(t("operator.outbox.waiting_one", { count: 1 }), count > 0);

  async function choosePin(t: Words, pin: string) {
    await phone.click("button", t("phone.card.choose"));
    await phone.see("dialog", t("phone.dialog.title"));
    await phone.fill(t("phone.dialog.pin"), pin);
    await phone.fill(t("phone.dialog.repeated"), pin);
    await phone.click("button", t("phone.dialog.submit"));
    await phone.text(t("phone.hint.title"), false);
  }

  const first = "1003.5, 12.5, Left track looks loose, María Salazar";

  await step("María signs in with name and password, in English", () => signIn(en, maria));

  await step("a reading below the meter is questioned, and not sent", async () => {
    await report(en, "900");
    await phone.see("dialog", en("operator.check.belowTitle"));
    await phone.click("button", en("operator.check.back"));
    await until("the typed reading", async () =>
      assert.equal(await phone.value(en("operator.form.readingHours")), "900"),
    );
    await storedIs();
  });

  await step("hours, fuel and a note arrive, and are in her own updates", async () => {
    await phone.fill(en("operator.form.readingHours"), "1003.5");
    await phone.fill(new RegExp(`^${en("operator.form.fuel")}`), "12.5");
    await phone.click("button", en("operator.form.addNote"));
    await phone.fill(new RegExp(`^${en("operator.form.notes")}`), "Left track looks loose");
    await phone.click("button", en("operator.form.submit"));
    await phone.text(en("operator.toast.submitted"));
    await phone.text("1,003.5 h");
    await phone.text(en("updates.status.pending"));
    await storedIs(first);
  });

  await step("the page changes to Spanish, and stays so after a reload", async () => {
    await phone.click("button", /Español/);
    await ready(es);
    await phone.reload();
    await ready(es);
    assert.equal(await phone.script("return document.documentElement.lang"), "es");
    await phone.text(es("updates.status.pending"));
  });

  await step("the service worker has a copy of all files of the page", async () => {
    await until("copies", async () => {
      const worker = await phone.script("return navigator.serviceWorker.controller?.state");
      assert.equal(worker, "activated");
      assert.deepEqual(await phone.script(notCached), []);
    });
  });

  await step("without a connection a report is kept, also after a reload", async () => {
    await cut.stop();
    await report(es, "1006");
    await unsent(es, 1);
    await phone.reload();
    await ready(es);
    await unsent(es, 1);
    // WebKit reports no start of the worker in the times of the page.
    const served = "return navigator.serviceWorker.controller !== null";
    assert.equal(await phone.script(served), true, "the worker served the page");
    await storedIs(first);
  });

  const second = "1006, María Salazar";
  await step("with the connection it is sent without a press, and once", async () => {
    await cut.start();
    await unsent(es, 0);
    await storedIs(first, second);
    await phone.reload();
    await ready(es);
    await storedIs(first, second);
  });

  await step("a report whose response is lost arrives once", async () => {
    cut.swallow("POST /api/operator-updates");
    await report(es, "1008");
    await unsent(es, 1);
    cut.swallow(null);
    await phone.reload();
    await ready(es);
    await unsent(es, 0);
    await storedIs(first, second, "1008, María Salazar");
  });

  const logOut = async (t: Words) => {
    await phone.click("button", t("shell.logout"));
  };

  await step(
    "María chooses a PIN, signs out, and Juan signs in and sees none of hers",
    async () => {
      await choosePin(es, "4073");
      await logOut(es);
      await phone.see("heading", es("landing.hero.title"));
      await signIn(es, juan);
      await phone.text(es("operator.list.empty"));
      await choosePin(es, "90210");
    },
  );

  await step("without a connection María signs in with her PIN, and reports", async () => {
    await cut.stop();
    await logOut(es);
    await phone.click("button", /^María Salazar/);
    await phone.fill(es("phone.people.pin"), "1111");
    await phone.click("button", es("phone.people.submit"));
    await phone.text(es("phone.people.wrong_other", { count: 4 }));
    await phone.fill(es("phone.people.pin"), "4073");
    await phone.click("button", es("phone.people.submit"));
    await ready(es);
    await report(es, "1011");
    await unsent(es, 1);
  });

  await step("with the connection her report arrives once, in her name", async () => {
    const all = [first, second, "1008, María Salazar", "1011, María Salazar"];
    await cut.start();
    await phone.reload();
    await storedIs(...all);
    await unsent(es, 0);
    await storedIs(...all);
  });
}
