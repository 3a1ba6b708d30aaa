import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import * as v from "valibot";
import { Role, UserSchema } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { changeOf, isChanged, passwordSchema, profileSchema, profileValues } from "./schema";

const owner = { manages: true, needsName: false };
const operator = { manages: false, needsName: true };
const dana = create(UserSchema, {
  firstName: "Dana",
  lastName: "Ruiz",
  email: "dana@acme.test",
  role: Role.OWNER,
  businessName: "Acme Earthworks",
});
const values = profileValues(dana);

function messages(schema: v.GenericSchema, input: object): string[] {
  return (v.safeParse(schema, input).issues ?? []).map((issue) => issue.message);
}

describe("the profile's rules", () => {
  it.each([
    ["dana@acme.test", []],
    [" dana@acme.test ", []],
    ["", ["profile.emailInvalid"]],
    ["dana", ["profile.emailInvalid"]],
    ["dana@acme", ["profile.emailInvalid"]],
    ["dana ruiz@acme.test", ["profile.emailInvalid"]],
    ["danaauth.factor.usePasskeyacme.test", ["profile.emailInvalid"]],
  ])("an owner's e-mail %j", (email, expected) => {
    expect(messages(profileSchema(owner), { ...values, email })).toEqual(expected);
  });

  it.each([
    ["", []],
    ["maria@acme.test", []],
    ["maria@", ["profile.emailInvalid"]],
  ])("an operator's e-mail %j", (email, expected) => {
    expect(messages(profileSchema(operator), { ...values, email })).toEqual(expected);
  });

  it.each([
    ["", []],
    ["  ", []],
    ["d@home.test", []],
    ["home", ["profile.secondaryInvalid"]],
  ])("a secondary e-mail %j", (secondaryEmail, expected) => {
    expect(messages(profileSchema(owner), { ...values, secondaryEmail })).toEqual(expected);
  });

  it.each([
    ["", ["profile.companyEmpty", "operators.settings.nameShort"]],
    [" ", ["profile.companyEmpty", "operators.settings.nameShort"]],
    ["A", ["operators.settings.nameShort"]],
    ["AB", []],
  ])("a company name %j", (companyName, expected) => {
    expect(messages(profileSchema(owner), { ...values, companyName })).toEqual(expected);
    expect(messages(profileSchema(operator), { ...values, companyName })).toEqual([]);
  });

  it("only an owner may go without a name", () => {
    const nameless = { ...values, firstName: " ", lastName: "" };
    expect(messages(profileSchema(owner), nameless)).toEqual([]);
    expect(messages(profileSchema(operator), nameless)).toEqual([
      "errors.requiredFields",
      "errors.requiredFields",
    ]);
  });
});

describe("the change", () => {
  it("is none while only spaces differ", () => {
    const same = changeOf({ ...values, firstName: " Dana " }, dana);
    expect(same).toEqual({ person: null, companyName: null });
    expect(isChanged(same)).toBe(false);
  });

  it("contains changed fields, and an empty text for cleared ones", () => {
    const before = create(UserSchema, { ...dana, secondaryEmail: "d@home.test" });
    const change = changeOf(
      { ...profileValues(before), lastName: " Vega", secondaryEmail: "" },
      before,
    );
    expect(change).toEqual({ person: { lastName: "Vega", secondaryEmail: "" }, companyName: null });
    expect(isChanged(change)).toBe(true);
  });

  it("keeps the company's name apart", () => {
    expect(changeOf({ ...values, companyName: "Acme Site " }, dana)).toEqual({
      person: null,
      companyName: "Acme Site",
    });
  });
});

describe("the password's rules", () => {
  const good = { currentPassword: "x", newPassword: "gravel", confirmPassword: "gravel" };
  it.each([
    [{}, []],
    [{ currentPassword: "" }, ["profile.password.currentRequired"]],
    [{ newPassword: "grave", confirmPassword: "grave" }, ["auth.signup.passwordShort"]],
    // Code points, not UTF-16 units.
    [{ newPassword: "🚜🚜🚜", confirmPassword: "🚜🚜🚜" }, ["auth.signup.passwordShort"]],
    [{ newPassword: "🚜".repeat(6), confirmPassword: "🚜".repeat(6) }, []],
    [{ newPassword: "a".repeat(128), confirmPassword: "a".repeat(128) }, []],
    [{ newPassword: "a".repeat(129), confirmPassword: "a".repeat(129) }, ["admin-tools.longText"]],
    [{ confirmPassword: "gravel " }, ["profile.password.mismatch"]],
    [{ confirmPassword: "" }, ["profile.password.mismatch"]],
  ])("%j", (more, expected) => {
    expect(messages(passwordSchema, { ...good, ...more })).toEqual(expected);
  });
});
