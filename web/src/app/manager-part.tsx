import { useIsFetching } from "@tanstack/react-query";
import { Suspense, useState, useSyncExternalStore } from "react";
import type { User } from "#/session/session";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { afterFrame, useWaited, whenIdle } from "#/shared/idle";
import { ManagerTools } from "./manager-tools";

const AccessBanner = lazyLoaded(() =>
  import("#/features/billing/access-banner").then((module) => module.AccessBanner),
);

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
  if (props.place === "header") return <ManagerTools user={props.user} />;
  return (
    <>
      {shown && isPhone && !props.bare && (
        <Suspense>
          <BottomBar user={props.user} />
        </Suspense>
      )}
      {shown && !props.bare && <LaterAccessBanner settled={settled} />}
      {/* Code for later changes loads when the first page had time to load. */}
      {settled && (
        <Suspense>
          <ManagerBackground user={props.user} />
        </Suspense>
      )}
    </>
  );
}

/** Loads the banner once the data of the first page is loaded. */
function LaterAccessBanner({ settled }: { settled: boolean }) {
  const isFetching = useIsFetching() > 0;
  const [hasData, setHasData] = useState(false);
  if (!isFetching && !hasData) setHasData(true);
  if (!hasData && !settled) return null;
  return (
    <Suspense>
      <AccessBanner />
    </Suspense>
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
