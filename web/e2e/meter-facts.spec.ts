import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { phone, report, unsent } from "./field";
import { hire, machine, rows, unique, type Call } from "./people";
import { words } from "./words";

// The meter follows from what was captured when, whatever arrives first.

const en = words("en");
const es = words("es");

const machineNamed = async (call: Call, name: string) =>
  (await rows(call, `/api/equipment?search=${encodeURIComponent(name)}`))[0];

/** Adds usage on the page of a machine. */
async function addUsage(page: Page, increase: string) {
  const open = page.getByRole("button", { name: en("equipment.actions.updateUsage") });
  await open.first().click();
  const dialog = page.getByRole("dialog", { name: en("equipment-dialogs.usage.title") });
  await dialog.getByLabel(new RegExp(`^${en("equipment-dialogs.usage.increase")}`)).fill(increase);
  await dialog.getByRole("button", { name: en("equipment-dialogs.usage.submit") }).click();
  await expect(dialog).toBeHidden();
}

test("a reading captured without signal counts before a later increase of the office", async ({
  open,
  team,
}) => {
  const name = unique("Dozer");
  const id = await machine(team.call, name, { currentUsage: 300 });
  const maria = (await hire(team.call, "María")).operatorUsername;
  const field = await phone(open, maria);
  const office = await (await open("desktop", "en", { storageState: team.owner })).newPage();
  await office.goto(`/equipment/item/${id}`);

  await field.context.setOffline(true);
  await report(field.page, name, 512);
  // 212 h in a few minutes are asked about.
  await field.page.getByRole("button", { name: es("operator.check.asItIs") }).click();
  await unsent(field.page, 1);
  await addUsage(office, "1");
  expect(await machineNamed(team.call, name)).toMatchObject({ currentUsage: 301 });

  await field.context.setOffline(false);
  await unsent(field.page, 0);
  await office.goto("/review");
  const row = office.getByRole("row", { name: /^María .* 512 hours/ });
  await row.getByRole("button", { name: en("review.act.accept"), exact: true }).click();
  await expect(row).toBeHidden();
  expect(await machineNamed(team.call, name)).toMatchObject({ currentUsage: 513 });
});
