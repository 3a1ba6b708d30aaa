import { withTexts } from "#/i18n/lazy-with-texts";
import { once } from "#/shared/once";

/** The router and its pages, which the operator page does not need. */
export const loadPages = once(() => import("./pages"));
export const loadSignedIn = once(() => import("./signed-in").then((module) => module.SignedIn));
export const loadGrpcWeb = once(() => import("#/api/grpc-web").then((module) => module.GrpcWeb));
export const loadManagerHome = once(
  withTexts(["home", "person"], () =>
    import("#/routes/-manager-home").then((module) => module.ManagerHome),
  ),
);
export const loadOperatorStart = once(() =>
  import("./operator-start").then((module) => module.OperatorStart),
);
export const loadOperatorPage = once(
  withTexts(["person", "operator"], () =>
    import("#/features/operator/operator-page").then((module) => module.OperatorPage),
  ),
);
export const loadOutboxKeeper = once(
  withTexts(["person", "operator"], () =>
    import("#/features/operator/send/outbox-keeper").then((module) => module.OutboxKeeper),
  ),
);

/** Whether the home page of the audience is at `path`. */
export const isHome = (path: string, audience: string | undefined): boolean =>
  path === "/" ||
  (audience === "operator" && (path === "/operator" || path === "/simple-operator"));

/** Loads the code and texts of the audience's home page. */
export async function loadHome(audience: string | undefined): Promise<void> {
  const parts: Array<Promise<unknown>> = [import("./app-root"), loadSignedIn()];
  switch (audience) {
    case "operator":
      parts.push(loadOperatorStart(), loadOperatorPage(), loadOutboxKeeper());
      break;
    case "manager":
      parts.push(loadPages(), loadGrpcWeb(), loadManagerHome());
      break;
    default:
      parts.push(loadPages());
  }
  await Promise.all(parts);
}
