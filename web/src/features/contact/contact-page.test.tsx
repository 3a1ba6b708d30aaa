import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest } from "#/test/render-app";

vi.mock("#/shared/support-email", () => ({ supportEmail: "help@acme.test" }));

const dana = { ...owner, firstName: "Dana", lastName: "Ruiz" };

/** Opens the form; collects mailto URLs. */
async function open(path = "/contact", user: object = dana) {
  stubRest({ "GET /api/auth/user": { status: 200, body: user } });
  const mails: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    mails.push(this.href);
  });
  await renderApp(path);
  await screen.findByRole("heading", { level: 1, name: "Contact Support" });
  return mails;
}

const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const send = () => fireEvent.click(screen.getByRole("button", { name: "Open in email app" }));

describe("the form", () => {
  it("fills in the sender and prepares an encoded mail", async () => {
    const mails = await open();
    expect(field("Name").value).toBe("Dana Ruiz");
    expect(field("Email").value).toBe("ana@acme.test");
    type("Subject", "Fuel & oil?");
    type("Message", "Line one\nLine two: 100% = a+b");
    send();
    expect(await screen.findByText(/is ready in your email app/)).toBeTruthy();
    const [mail = ""] = mails;
    const query = new URLSearchParams(mail.slice(mail.indexOf("?")).replaceAll("+", "%2B"));
    expect([...query.keys()]).toEqual(["subject", "body"]);
    expect(query.get("subject")).toBe("Fuel & oil?");
    expect(query.get("body")).toBe(
      "Line one\r\nLine two: 100% = a+b\r\n\r\nDana Ruiz\r\nana@acme.test\r\nAcme Earthworks",
    );
    expect(field("Message").value).toContain("Line one");
  });

  it.each(["Name", "Email", "Subject", "Message"])("wants %s", async (name) => {
    const mails = await open();
    type("Subject", "Hello");
    type("Message", "Hello");
    type(name, "  ");
    send();
    await waitFor(() =>
      expect(currentToast()?.description).toBe("Please fill out all fields before sending."),
    );
    expect(screen.getByRole("alert").textContent).toBe(
      "Please fill out all fields before sending.",
    );
    expect(field(name).getAttribute("aria-invalid")).toBe("true");
    expect(mails).toEqual([]);
  });

  it("refuses an invalid address", async () => {
    const mails = await open();
    type("Subject", "Hello");
    type("Message", "Hello");
    type("Email", "dana@");
    send();
    expect(await screen.findByText("Please enter a valid email address")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(mails).toEqual([]);
  });

  it("names the support address and promises a reply", async () => {
    await open();
    const link = screen.getByRole("link", { name: "help@acme.test" });
    expect(link.getAttribute("href")).toBe("mailto:help@acme.test");
    expect(screen.getByText(/answers within 1-2 business hours/)).toBeTruthy();
    expect(screen.queryByText(/No support address/)).toBeNull();
  });
});
