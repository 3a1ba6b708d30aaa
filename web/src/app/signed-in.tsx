import { clsx } from "clsx";
import { Suspense, type ReactNode } from "react";
import type { User } from "#/session/session";
import { usePasswordRequest, useSessionEnded } from "#/session/state";
import { audienceOf } from "#/domain/permissions";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { idlePart } from "#/shared/lazy-part";
import { PrintHost } from "#/shared/print/print-host";
import { Header } from "./header";
import { loadGrpcWeb, loadOutboxKeeper } from "./load-home";
import { PagePending } from "./page-pending";

// Operators load it after their first page.
const GrpcWeb = lazyLoaded(loadGrpcWeb);

// Loaded by operators only.
const OutboxKeeper = lazyLoaded(loadOutboxKeeper);

// The same, when idle, because it includes grpc-web.
const OperatorBell = idlePart(() =>
  import("./operator-bell").then((module) => module.OperatorBell),
);

// Loaded by owners and managers only.
const ManagerPart = lazyWithTexts(["commands"], () =>
  import("./manager-part").then((module) => module.ManagerPart),
);

const ReauthDialog = lazyWithTexts(["visitor"], () =>
  import("#/features/auth/reauth-dialog").then((module) => module.ReauthDialog),
);
const SessionEnded = lazyWithTexts(["visitor", "phone"], () =>
  import("#/features/auth/session-ended").then((module) => module.SessionEnded),
);
const NoticeList = lazyWithTexts(["security"], () =>
  import("#/features/notices/notice-list").then((module) => module.NoticeList),
);

/** The header and the background work of every page of a signed-in user. */
export function SignedIn({
  user,
  bare,
  children,
}: {
  user: User;
  bare: boolean;
  children: ReactNode;
}) {
  const ended = useSessionEnded();
  const audience = audienceOf(user);
  const isManager = audience === "manager";
  const passwordRequest = usePasswordRequest();
  const header = (tools: ReactNode) => !bare && <Header user={user} tools={tools} />;
  const main = (content: ReactNode) => (
    <main
      id="main"
      className={clsx(
        "mx-auto max-w-(--container-page) px-4 py-6 lg:px-6 lg:py-8",
        isManager && "max-md:pb-24",
      )}
    >
      {content}
    </main>
  );
  const frame = (
    <>
      {header(
        <Suspense fallback={<div className="size-11" />}>
          {isManager && <ManagerPart place="header" user={user} />}
          {audience === "operator" && <OperatorBell />}
        </Suspense>,
      )}
      {audience === "operator" && (
        <Suspense>
          <OutboxKeeper key={user.id} userId={user.id} />
        </Suspense>
      )}
      {user.notices.length > 0 && !bare && (
        <Suspense>
          <GrpcWeb>
            <NoticeList notices={user.notices} audience={audience} />
          </GrpcWeb>
        </Suspense>
      )}
      {isManager && (
        <Suspense>
          <ManagerPart place="page" user={user} bare={bare} />
        </Suspense>
      )}
      {bare ? children : main(children)}
      {passwordRequest && (
        <Suspense>
          <ReauthDialog user={user} />
        </Suspense>
      )}
      <PrintHost />
      {ended && (
        <Suspense>
          <SessionEnded user={user} />
        </Suspense>
      )}
    </>
  );
  if (audience === "operator") return frame;
  return (
    <Suspense
      fallback={
        <>
          {header(null)}
          {main(<PagePending />)}
        </>
      }
    >
      <GrpcWeb>{frame}</GrpcWeb>
    </Suspense>
  );
}
