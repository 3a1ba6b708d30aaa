import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  AccountsService,
  Role,
  Scope,
  type UserSchema,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { operator, owner, renderApp, stubRest } from "#/test/render-app";

const dana: MessageInitShape<typeof UserSchema> = {
  firstName: "Dana",
  lastName: "Ruiz",
  email: "dana@acme.test",
  role: Role.OWNER,
  scope: Scope.FULL,
  businessName: "Acme Earthworks",
  createdAt: timestampFromDate(new Date(2026, 6, 3, 12)),
};

async function open(user: MessageInitShape<typeof UserSchema>, fail = false) {
  const session = user.role === Role.OPERATOR ? operator : owner;
  stubRest({ "GET /api/auth/user": { status: 200, body: session } });
  const state = { fail };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCurrentUser: () => {
        if (state.fail) throw new ConnectError("Not now.", Code.Internal);
        return { user };
      },
    });
  });
  await renderApp("/profile", transport);
  await screen.findByRole("heading", { level: 1, name: "Profile" });
  return state;
}

const fact = (label: string) => screen.getByText(label).nextElementSibling?.textContent;

describe("the profile", () => {
  it("of an owner leads to the security questions while they are not set", async () => {
    await open(dana);
    expect(await screen.findByText("Dana Ruiz")).toBeTruthy();
    expect(fact("Email")).toBe("dana@acme.test");
    expect(fact("Business name")).toBe("Acme Earthworks");
    expect(fact("Member since")).toBe("Jul 3, 2026");
    expect(screen.getByText(/with your email or the business name/)).toBeTruthy();
    const link = screen.getByRole("link", { name: "Set up now" });
    expect(link.getAttribute("href")).toBe("/security-questions");
  });

  it("of a manager says what is set", async () => {
    await open({ ...dana, role: Role.MANAGER, securityQuestionsSet: true });
    expect(await screen.findByText("Set up")).toBeTruthy();
    expect(screen.getByText("Manager")).toBeTruthy();
    expect(screen.getByText(/with your email and your own password/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Change questions" })).toBeTruthy();
  });

  it("of an operator shows the username and no security questions", async () => {
    await open({
      firstName: "Maria",
      lastName: "Lopez",
      role: Role.OPERATOR,
      scope: Scope.OPERATOR,
      operatorUsername: "maria4821",
      businessName: "Acme Earthworks",
    });
    expect(await screen.findByText("Maria Lopez")).toBeTruthy();
    expect(fact("Login username")).toBe("maria4821");
    expect(screen.queryByRole("heading", { name: "Security questions" })).toBeNull();
    expect(screen.queryByText("Email")).toBeNull();
  });

  it("of a shared operator session tells nothing about the owner behind it", async () => {
    await open({ ...dana, role: Role.OPERATOR, scope: Scope.OPERATOR });
    expect(await screen.findByText(/shared operator password/)).toBeTruthy();
    expect(screen.queryByText(/Dana/)).toBeNull();
    expect(screen.queryByText("dana@acme.test")).toBeNull();
  });

  it("offers another try", async () => {
    const state = await open(dana, true);
    expect((await screen.findByRole("alert")).textContent).toContain("Not now.");
    state.fail = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Dana Ruiz")).toBeTruthy();
  });
});
