import i18next from "i18next";
import { describe, expect, it } from "vitest";
import { changeLanguage } from "#/i18n";
import { failureText } from "./error-text";
import { toFailure } from "./errors";
import { RestError } from "./failure";
import { serverTextKey } from "./server-texts";

const said = (status: number, message: string) =>
  failureText(
    i18next.t,
    toFailure(new RestError(status, JSON.stringify({ message }))),
    "errors.server",
  );

describe("what the server says", () => {
  it.each([
    "Invalid email, business name or password",
    "Invalid operator name or password",
    "That email or business name is already in use.",
    "No account found with that email or business name, or security questions not set up.",
    "Security answers are incorrect. Please try again.",
    "Your current password is incorrect.",
    "Please enter a valid email address.",
    "Please enter a valid secondary email address.",
    "Please enter your current password.",
    "Only the owner can remove a manager.",
    "The operator password must not be the password of an owner or manager.",
    "You do not have permission to do this.",
    "Please fill in all security questions and answers.",
    "Only usage, services, notes and replaced meters can be voided.",
    "The new meter has been read since. Void what was read on it first.",
    "The meter has changed since. Please reload it and try again.",
    "This equipment has no meter.",
    "This update is already for this equipment.",
    "Enter what the meter shows now.",
    "Must not be above the reading.",
    "Somebody else is signed in on this device.",
    "This update's id is already taken.",
    "The meter was read after this. Replace the meter on the equipment instead.",
    "Another change of your subscription is being made. Please try again in a moment.",
    "Another checkout is being opened. Please try again in a moment.",
    "The payment provider did not accept this. Please check your subscription.",
    "The card was declined. Please update your card under Invoices and card, then try again.",
    "The payment provider is not available right now. Please try again.",
    "You already have a subscription.",
    "Please choose a plan and check out first.",
    "This checkout is closed. Please choose your plan again.",
    "Your subscription is in its free trial.",
    "Your subscription has ended already.",
    "Your subscription is active.",
    "Your last payment failed. Please update your card first.",
    "Your plan was agreed on with support.",
    "Your subscription is paused.",
    "Your subscription is canceled already.",
    "This company is not in a trial that was never paid.",
    "This company pays through the payment provider.",
    "The trial runs longer than that already.",
    "Please choose one of the plans.",
    "Must be 1 to 400, and at most 3660 days ahead in all.",
    "Must be 1 to 365.",
    "Must be 1 to 3660.",
    "Must be 3 or 6.",
    "Must be month or year.",
  ])("reads the same in English and has Spanish words: %s", async (message) => {
    await changeLanguage("en");
    expect(said(400, message)).toBe(message);
    await changeLanguage("es");
    expect(said(400, message)).not.toBe(message);
  });

  it("is shown as it came where the client has no words for it", () => {
    expect(serverTextKey("A new sentence.")).toBeNull();
    expect(said(400, "A new sentence.")).toBe("A new sentence.");
  });
});
