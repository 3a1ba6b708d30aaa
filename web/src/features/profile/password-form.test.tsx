import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { expectFormError } from "#/test/form-error";
import { dana, open, press, field, type } from "./profile.fixture";

describe("the password", () => {
  const fill = (current: string, next: string, again: string) => {
    type("Current password", current);
    type("New password", next);
    type("Confirm new password", again);
    press("Save new password");
  };
  const toggle = async () => {
    fireEvent.click(await screen.findByRole("button", { name: "Change password" }));
  };

  it("is a separate toggle and says that other devices are signed out", async () => {
    await open(dana);
    const button = await screen.findByRole("button", { name: "Change password" });
    expect(button.getAttribute("aria-expanded")).toBe("false");
    expect(screen.getByText(/signs out all your other devices/)).toBeTruthy();
    fireEvent.click(button);
    expect(button.getAttribute("aria-expanded")).toBe("true");
    await waitFor(() => expect(document.activeElement).toBe(field("Current password")));
    fireEvent.click(button);
    expect(screen.queryByLabelText("Current password")).toBeNull();
  });

  it.each([
    ["", "gravel-7", "gravel-7", "Please enter your current password."],
    ["old-one", "grave", "grave", "Password must be at least 6 characters"],
    ["old-one", "gravel-7", "gravel-8", "New password and confirmation password must match."],
  ])("%j, %j, %j is refused", async (current, next, again, text) => {
    const { rest } = await open(dana);
    await toggle();
    fill(current, next, again);
    expect(await screen.findByText(text)).toBeTruthy();
    expect(rest.some((call) => call.method === "PATCH")).toBe(false);
  });

  it("is sent once, stored in no cache, and the form closes", async () => {
    const { rest, queryClient } = await open(dana);
    const cached = new Set<unknown>();
    queryClient
      .getMutationCache()
      .subscribe(({ mutation }) => cached.add(mutation?.state.variables));
    await toggle();
    fill("old-one", "gravel-7", "gravel-7");
    press("Save new password");
    await waitFor(() => expect(currentToast()?.title).toBe("Password changed"));
    expect(currentToast()?.description).toContain("other devices were signed out");
    const sent = rest.filter((call) => call.method === "PATCH");
    expect(sent.map((call) => [call.path, call.body])).toEqual([
      ["/api/user/change-password", { currentPassword: "old-one", newPassword: "gravel-7" }],
    ]);
    expect(screen.queryByLabelText("Current password")).toBeNull();
    expect([...cached]).toEqual([undefined]);
  });

  it("shows a wrong current password at its field and keeps the other values", async () => {
    await open(dana, {
      password: () => ({
        status: 400,
        body: {
          message: "Your current password is incorrect.",
          code: "WRONG_PASSWORD",
          textCode: "CURRENT_PASSWORD_WRONG",
          fields: { currentPassword: "Your current password is incorrect." },
          fieldCodes: { currentPassword: "CURRENT_PASSWORD_WRONG" },
        },
      }),
    });
    await toggle();
    fill("not-it", "gravel-7", "gravel-7");
    await waitFor(() =>
      expect(field("Current password").getAttribute("aria-invalid")).toBe("true"),
    );
    expect(currentToast()).toMatchObject({
      title: "Password Change Failed",
      description: "Your current password is incorrect.",
    });
    expect(field("New password").value).toBe("gravel-7");
  });

  it("shows why the server refuses the new one", async () => {
    const text = "This password is too common. Please choose another one.";
    await open(dana, {
      password: () => ({ status: 400, body: { message: text, fields: { newPassword: text } } }),
    });
    await toggle();
    fill("old-one", "123456", "123456");
    await waitFor(() => expect(field("New password").getAttribute("aria-invalid")).toBe("true"));
    await expectFormError(text);
  });
});
