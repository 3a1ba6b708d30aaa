import { Suspense, useEffect, useState } from "react";
import type { User } from "#/session/session";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { whenIdle } from "#/shared/idle";
import { ManagerTools } from "./manager-tools";

const ManagerBackground = lazyWithTexts(["home"], () =>
  import("./manager-background").then((module) => module.ManagerBackground),
);

/**
 * What only owners and managers have on every page. One component, so that operators load no list
 * of its files.
 */
export function ManagerPart(
  props: { place: "header"; user: User } | { place: "page"; user: User; bare: boolean },
) {
  const settled = useSettled();
  if (props.place === "header") return <ManagerTools user={props.user} />;
  return (
    settled && (
      <Suspense>
        <ManagerBackground user={props.user} bare={props.bare} />
      </Suspense>
    )
  );
}

/** Whether the first page had time to load, so that code for later changes can load. */
function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => whenIdle(() => setSettled(true)), []);
  return settled;
}
