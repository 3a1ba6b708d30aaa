import { expect } from "@playwright/test";
import { test } from "./fixtures";
import { office, operatorsOf, expectToast } from "./crew";
import { fileDay, saved } from "./files";
import { toast, unique } from "./people";
import { words, type Words } from "./words";

const en = words("en");
const es = words("es");

test("the export has the exact header, hostile names as text, and the reader's language", async ({
  open,
}) => {
  const { call, page } = await office(open, "desktop", "en");
  const companyName = unique("=Quarry, Sons");
  await call("POST", "/api/company-settings", { companyName });
  const press = (t: Words) => () =>
    page.getByRole("button", { name: t("operators.export.action") }).click();
  await call("POST", "/api/employees", {
    firstName: "=1+1",
    lastName: '@SUM(A1) "Bo", Jr',
  });
  await call("POST", "/api/employees", { firstName: "Ana", lastName: "-5" });
  const made = await operatorsOf(call);
  const username = (firstName: string) =>
    String(made.find((row) => row.firstName === firstName)?.operatorUsername);
  await page.goto("/employees");
  await expect(page.getByRole("row").filter({ hasText: "=1+1" })).toBeVisible();
  const file = await saved(page, press(en));
  expect(file.name).toBe(`operators-${fileDay()}.csv`);
  expect(file.header).toBe("Company,First Name,Last Name,Username,Role,Date Added,Last Report");
  const end = (role: string) => `${role},${fileDay()},`;
  const row = (first: string, last: string, name: string, rest: string) =>
    `"'${companyName}",${first},${last},${username(name)},${rest}`;
  const hostile = `"'@SUM(A1) ""Bo"", Jr"`;
  expect(file.lines.toSorted()).toEqual(
    [
      row("'=1+1", hostile, "=1+1", end("Operator")),
      row("Ana", "-5", "Ana", end("Operator")),
    ].toSorted(),
  );
  await expect(toast(page, en("operators.export.done"))).toBeVisible();

  await page.getByRole("button", { name: "ES Español" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("operators.pageTitle"));
  const spanish = await saved(page, press(es));
  expect(spanish.header).toBe("Empresa,Nombre,Apellido,Usuario,Rol,Fecha de alta,Último reporte");
  expect(spanish.lines).toContain(row("'=1+1", hostile, "=1+1", end("Operador")));
});

test("many operators are searched, and the file contains those on screen", async ({ open }) => {
  const { call, page } = await office(open, "desktop", "en");
  const names = ["Ana", "Beto", "Carla", "Diego", "Elena", "Félix", "Gina", "Hugo", "Iván"];
  for (const firstName of names) {
    await call("POST", "/api/employees", { firstName, lastName: "Cruz" });
  }
  await page.goto("/employees");
  await page.getByLabel(en("operators.search")).fill("felix");
  const table = page.getByRole("table", { name: en("shell.titles.operators") });
  await expect(table.getByRole("row").filter({ hasText: "Cruz" })).toHaveCount(1);
  const file = await saved(page, () =>
    page.getByRole("button", { name: en("operators.export.action") }).click(),
  );
  expect(file.lines).toHaveLength(1);
  expect(file.lines[0]).toContain(",Félix,Cruz,felix");

  await page.getByLabel(en("operators.search")).fill("nobody");
  await expect(page.getByText(en("operators.noMatch.title"))).toBeVisible();
  await page.getByRole("button", { name: en("operators.export.action") }).click();
  await expectToast(page, en("operators.export.none"), en("operators.noMatch.text"));
});
