import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { PushService } from "#/api/gen/hourmeter/notifications/v1/push_pb";
import { pushPersonKey } from "#/device/push";
import { changeLanguage } from "#/i18n";
import { NavigationContext } from "#/shared/navigation";
import { currentToast } from "#/shared/toast/store";
import { stubPushBrowser } from "#/test/push-browser";
import { operator, owner, renderPart, stubRest } from "#/test/render-app";
import { NotificationBell } from "./bell";
import { PushRow } from "./push-row";

function pushServer(publicKey = "key") {
  const state = { calls: [] as unknown[], fails: false, asked: 0 };
  const record = (...call: unknown[]) => {
    if (state.fails) throw new ConnectError("The disk is full.", Code.Internal);
    state.calls.push(call);
    return {};
  };
  const transport = createRouterTransport(({ service }) => {
    service(PushService, {
      getPushKey: () => {
        state.asked += 1;
        return { publicKey };
      },
      addPushSubscription: ({ endpoint, p256dh, auth, language }, { requestHeader }) =>
        record("add", [endpoint, p256dh, auth, language], requestHeader.get("X-Expected-User")),
      removePushSubscription: ({ endpoint }) => record("remove", endpoint),
      sendTestPush: () => record("test"),
    });
  });
  return { transport, state };
}

const added = (user: { id: string }, language = "en") => [
  "add",
  ["https://push.example/1", "point", "secret", language],
  user.id,
];

interface Opened {
  user?: { id: string };
  publicKey?: string;
  part?: ReactNode;
}

async function open({ user = owner, publicKey = "key", part = <PushRow /> }: Opened = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: user } });
  const { transport, state } = pushServer(publicKey);
  const { queryClient } = await renderPart(part, transport);
  const settled = () => waitFor(() => expect(queryClient.isFetching()).toBe(0));
  return { server: state, settled };
}

const button = (name: string) => screen.findByRole("button", { name });
const press = async (name: string) => fireEvent.click(await button(name));
const row = () => screen.queryByRole("region", { name: "Notifications on this device" });

/** A browser in which the person has turned it on. */
function turnedOnBy(person: { id: string }) {
  const browser = stubPushBrowser("granted");
  browser.subscribe();
  localStorage.setItem(pushPersonKey, person.id);
  return browser;
}

describe("turned off, notifications on this device", () => {
  it("are turned on by a press, which asks for the permission", async () => {
    const { state } = stubPushBrowser();
    const { server } = await open();
    const turn = await button("Turn on");
    expect(row()?.textContent).toContain("when an update is flagged");
    expect(state.asked).toBe(0);
    turn.focus();
    fireEvent.click(turn);
    await button("Send a test");
    expect(document.activeElement?.textContent).toBe("Turn off");
    expect([state.asked, state.keys]).toEqual([1, ["key"]]);
    expect(server.calls).toEqual([added(owner)]);
    expect(localStorage.getItem(pushPersonKey)).toBe(owner.id);
  });

  it("say to operators what they are for, in their language", async () => {
    stubPushBrowser();
    const { server } = await open({ user: operator });
    await screen.findByText(/when an update of yours is rejected/);
    await act(() => changeLanguage("es"));
    await press("Activar");
    await button("Desactivar");
    expect(server.calls).toEqual([added(operator, "es")]);
  });

  it("stay off if the question is closed, without a failure", async () => {
    const { state } = stubPushBrowser();
    state.answer = "default";
    const { server } = await open();
    await press("Turn on");
    await waitFor(() => expect(state.asked).toBe(1));
    expect((await button("Turn on")).getAttribute("aria-busy")).toBeNull();
    expect(currentToast()).toBeNull();
    expect(server.calls).toEqual([]);
  });

  it("say how to allow them after a refusal", async () => {
    const { state } = stubPushBrowser();
    state.answer = "denied";
    await open();
    await press("Turn on");
    await screen.findByText(/Allow notifications for this site/);
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("are not half on if the server fails", async () => {
    const { state } = stubPushBrowser();
    const { server } = await open();
    server.fails = true;
    await press("Turn on");
    await waitFor(() =>
      expect(currentToast()).toMatchObject({
        title: "Notifications could not be turned on",
        description: "The disk is full.",
      }),
    );
    expect(state.keys).toEqual(["key"]);
    expect(state.subscription).toBeNull();
    expect(localStorage.getItem(pushPersonKey)).toBeNull();
    await button("Turn on");
  });

  it("say that the browser has refused", async () => {
    const { state } = stubPushBrowser();
    state.refuses = true;
    await open();
    await press("Turn on");
    await waitFor(() => expect(currentToast()?.description).toBe("The browser did not allow it."));
  });

  it("get a service worker without pages where the page has none", async () => {
    const { state } = stubPushBrowser();
    state.controlled = false;
    await open();
    await press("Turn on");
    await button("Turn off");
    expect(state.scopes).toEqual([["/sw.js", "/push/"]]);
  });
});

describe("turned on, notifications on this device", () => {
  it("are added to the session again", async () => {
    turnedOnBy(owner);
    const { server } = await open();
    await button("Turn off");
    await waitFor(() => expect(server.calls).toEqual([added(owner)]));
    await act(() => changeLanguage("es"));
    await waitFor(() => expect(server.calls[1]).toEqual(added(owner, "es")));
  });

  it("can be tested", async () => {
    turnedOnBy(owner);
    const { server } = await open();
    await press("Send a test");
    await waitFor(() => expect(currentToast()?.title).toBe("Test sent."));
    expect(server.calls).toContainEqual(["test"]);
    server.fails = true;
    await press("Send a test");
    await waitFor(() => expect(currentToast()?.title).toBe("The test could not be sent"));
  });

  it("can be turned off", async () => {
    const { state } = turnedOnBy(owner);
    const { server } = await open();
    await press("Turn off");
    await button("Turn on");
    expect(server.calls).toContainEqual(["remove", "https://push.example/1"]);
    expect(state.subscription).toBeNull();
    expect(localStorage.getItem(pushPersonKey)).toBeNull();
  });

  it("stay on if the server can't remove them", async () => {
    const { state } = turnedOnBy(owner);
    const { server } = await open();
    await button("Turn off");
    server.fails = true;
    await press("Turn off");
    await waitFor(() => expect(currentToast()?.title).toMatch("could not be turned off"));
    expect(state.subscription).not.toBeNull();
    await button("Turn off");
  });

  it("are not inherited by another person", async () => {
    const { state } = turnedOnBy(operator);
    const { server } = await open();
    await button("Turn on");
    await waitFor(() => expect(state.subscription).toBeNull());
    expect(server.calls).toEqual([]);
  });
});

describe("the bell of every page", () => {
  const navigation = { path: "/", go: async () => undefined, prepare: () => undefined };
  const part = (
    <NavigationContext value={navigation}>
      <NotificationBell />
    </NavigationContext>
  );

  it("adds the subscription to a new session", async () => {
    turnedOnBy(operator);
    const { server } = await open({ user: operator, part });
    await waitFor(() => expect(server.calls).toEqual([added(operator)]));
  });

  it("ends the subscription of another person", async () => {
    const { state } = turnedOnBy(owner);
    const { server } = await open({ user: operator, part });
    await waitFor(() => expect(state.subscription).toBeNull());
    expect(server.calls).toEqual([]);
  });

  it("adds none without the permission", async () => {
    turnedOnBy(owner).state.permission = "default";
    const { server, settled } = await open({ part });
    await settled();
    expect(server.calls).toEqual([]);
  });
});

describe("nothing is offered", () => {
  it("without a key of the server", async () => {
    stubPushBrowser();
    const { server, settled } = await open({ publicKey: "" });
    await waitFor(() => expect(server.asked).toBe(1));
    await settled();
    expect(row()).toBeNull();
  });

  it("in a browser without Web Push", async () => {
    const { server, settled } = await open();
    await settled();
    expect(server.asked).toBe(0);
    expect(row()).toBeNull();
  });

  it("in the browser of an iPhone but the way to get them", async () => {
    vi.spyOn(navigator, "userAgent", "get").mockReturnValue("Mozilla/5.0 (iPhone)");
    await open();
    await screen.findByText(/Add Hourmeter to the home screen/);
    expect(screen.queryByRole("button")).toBeNull();
  });
});

it("says how to allow blocked notifications", async () => {
  stubPushBrowser("denied");
  await open();
  await screen.findByText(/This browser blocks them/);
  expect(screen.queryByRole("button")).toBeNull();
});
