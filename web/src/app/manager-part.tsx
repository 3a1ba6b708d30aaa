import { Suspense, useState, useSyncExternalStore } from "react";
import { accessNotice } from "#/features/billing/access-notice";
import type { User } from "#/session/session";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { afterFrame, useWaited, whenIdle } from "#/shared/idle";
import { ManagerTools } from "./manager-tools";

const ManagerBackground = lazyWithTexts(["home"], () =>
  import("./manager-background").then((module) => module.ManagerBackground),
);

const BottomBar = lazyWithTexts(["commands", "person"], () =>
  import("./bottom-bar").then((module) => module.BottomBar),
);

/**
 * What only owners and managers have on every page. One component, so that operators load no list
 * of its files.
 */
export function ManagerPart(
  props: { place: "header"; user: User } | { place: "page"; user: User; bare: boolean },
) {
  const isPhone = useIsPhone();
  const shown = useWaited(afterFrame);
  const settled = useWaited(whenIdle);
  const [hadNotice] = useState(() => accessNotice.get() === "shown");
  if (props.place === "header") return <ManagerTools user={props.user} />;
  return (
    <>
      {shown && isPhone && !props.bare && (
        <Suspense>
          <BottomBar user={props.user} />
        </Suspense>
      )}
      {/* Code for later changes loads when the first page had time to load. */}
      {(settled || (shown && hadNotice)) && (
        <Suspense>
          <ManagerBackground user={props.user} bare={props.bare} />
        </Suspense>
      )}
    </>
  );
}

const phones = window.matchMedia("(width < 48rem)");

function useIsPhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      phones.addEventListener("change", changed);
      return () => phones.removeEventListener("change", changed);
    },
    () => phones.matches,
  );
}
