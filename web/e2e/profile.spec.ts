import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { ageSignIn, confirmPassword } from "./old-sign-in";
import { company, ownerPassword, send, toast, unique } from "./people";
import { edit, fact, label, owner, save } from "./profile";
import { words, type Words } from "./words";

const cancel = (page: Page, t: Words) =>
  page.getByRole("main").getByRole("button", { name: t("common.cancel") });

test("the profile is read, edited, canceled and saved (desktop, en)", async ({ open }) => {
  const t = words("en");
  const { context, page, business, email, stored } = await owner(open, "desktop", "en");
  await expect(fact(page, t("profile.email"))).toHaveText(email);
  await expect(fact(page, t("profile.firstName"))).toHaveText(t("profile.notGiven"));
  await expect(fact(page, t("profile.companyName"))).toHaveText(business);
  await expect(page.getByRole("heading", { name: t("profile.company.title") })).toBeVisible();
  await expect(label(page, t("profile.firstName"))).toHaveCount(0);
  const before = await stored();

  await edit(page, t);
  await expect(label(page, t("profile.firstName"))).toBeFocused();
  await expect(save(page, t)).toHaveAttribute("aria-disabled", "true");
  const mail = page.getByLabel(t("profile.email"), { exact: true });
  const second = label(page, t("profile.secondaryEmail"));
  const name = page.getByLabel(t("profile.companyName"), { exact: true });
  await second.fill("dana@nowhere.example");
  await cancel(page, t).click();
  await expect(label(page, t("profile.firstName"))).toHaveCount(0);
  await expect(fact(page, t("profile.email"))).toHaveText(email);
  await expect(page.getByRole("button", { name: t("profile.edit.open") })).toBeFocused();
  expect(await stored()).toEqual(before);

  await edit(page, t);
  await expect(mail).toHaveValue(email);
  await expect(name).toHaveValue(business);
  const renamed = unique("Renamed Works");
  await label(page, t("profile.firstName")).fill(" Dana ");
  await label(page, t("profile.lastName")).fill("Ruiz");
  await second.fill("dana@home.example");
  await name.fill(renamed);
  await save(page, t).click();
  await expect(toast(page, t("profile.edit.done"))).toBeVisible();
  await expect(fact(page, t("profile.firstName"))).toHaveText("Dana");
  await expect(fact(page, t("profile.secondaryEmail"))).toHaveText("dana@home.example");
  await expect(fact(page, t("profile.companyName"))).toHaveText(renamed);
  expect(await stored()).toMatchObject({
    firstName: "Dana",
    lastName: "Ruiz",
    email,
    secondaryEmail: "dana@home.example",
    businessName: renamed,
  });
  const login = { emailOrBusinessName: renamed, password: ownerPassword };
  expect((await send(context, "POST", "/api/auth/login", login)).ok()).toBe(true);
});

test("a new email requires the password, and a taken one is refused at its field", async ({
  open,
}) => {
  const t = words("en");
  const elsewhere = await open("desktop", "en");
  const { email: taken } = await company(elsewhere, unique("First Works"));
  const { context, page, email, stored } = await owner(open, "desktop", "en");
  await edit(page, t);
  const mail = page.getByLabel("Email", { exact: true });
  await ageSignIn(page, "UpdateProfile");
  await mail.fill(taken.toUpperCase());
  await save(page, t).click();
  await confirmPassword(page, t);
  await expect(toast(page, "Update Failed")).toBeVisible();
  await expect(mail).toHaveAttribute("aria-invalid", "true");
  await expect(mail).toHaveAccessibleDescription(/already in use/);
  await expect(mail).toBeFocused();
  await expect(mail).toHaveValue(taken.toUpperCase());
  expect(await stored()).toMatchObject({ email });

  const next = `new.${email}`;
  await mail.fill(next);
  await ageSignIn(page, "UpdateProfile");
  await save(page, t).click();
  const dialog = page.getByRole("dialog", { name: t("auth.reauth.title") });
  await dialog.getByRole("button", { name: t("common.cancel") }).click();
  await expect(dialog).toBeHidden();
  await expect(mail).toHaveValue(next);
  expect(await stored()).toMatchObject({ email });
  await save(page, t).click();
  await expect(toast(page, t("profile.edit.done"))).toBeVisible();
  expect(await stored()).toMatchObject({ email: next });

  const login = async (name: string) => {
    const body = { emailOrBusinessName: name, password: ownerPassword };
    return (await send(context, "POST", "/api/auth/login", body)).status();
  };
  expect(await login(email)).toBe(401);
  expect(await login(next)).toBe(200);
});

test("with a taken company name the personal details are saved, and the page reports both", async ({
  open,
}) => {
  const t = words("en");
  const elsewhere = await open("desktop", "en");
  const taken = unique("Older Works");
  await company(elsewhere, taken);
  const { page, business, stored } = await owner(open, "phone", "en");
  await edit(page, t);
  await label(page, t("profile.firstName")).fill("Dana");
  const name = page.getByLabel(t("profile.companyName"), { exact: true });
  await name.fill(taken.toUpperCase());
  await save(page, t).click();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(name).toBeFocused();
  await expect(page.getByText(t("profile.edit.companyNotSaved")).first()).toBeVisible();
  expect(await stored()).toMatchObject({
    firstName: "Dana",
    businessName: business,
  });
});
