import { useRouter, useRouterState, type StaticDataRouteOption } from "@tanstack/react-router";
import { useCallback } from "react";
import type { Audience } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";
import { PageAnnouncer } from "./page-announcer";

/** Titles for paths without a title of their own. */
function homeTitle(audience: Audience): TextKey | null {
  switch (audience) {
    case "guest":
      return null;
    case "operator":
      return key("shell.titles.equipmentUpdates");
    case "manager":
      return key("shell.titles.dashboard");
    case "staff":
      return key("shell.titles.support");
  }
}

interface Match {
  staticData: StaticDataRouteOption;
  search: object;
  params: Readonly<Record<string, unknown>>;
  status: string;
}

/** The title of the page on screen; not that of a page that a guard replaces. */
function titleOf(matches: readonly Match[]): TextKey | undefined {
  if (matches.some((match) => match.status === "notFound")) return undefined;
  const match = matches.at(-1);
  const title = match?.staticData.title;
  return typeof title === "function" ? title(match?.search ?? {}, match?.params ?? {}) : title;
}

/** Announces the pages of the router. */
export function RouteAnnouncer({ audience }: { audience: Audience }) {
  const router = useRouter();
  const own = useRouterState({ select: (state) => titleOf(state.matches) });
  const onNewPage = useCallback(
    (listener: () => void) => {
      if (router.options.context.isContinued) listener();
      return router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
        if (pathChanged && fromLocation) listener();
      });
    },
    [router],
  );
  return <PageAnnouncer title={own ?? homeTitle(audience)} onNewPage={onNewPage} />;
}
