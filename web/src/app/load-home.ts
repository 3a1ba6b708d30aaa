/** The router and its pages, which the operator page does not need. */
export const loadPages = () => import("./pages");

/** Whether the home page of the audience is at `path`. */
export const isHome = (path: string, audience: string | undefined): boolean =>
  path === "/" ||
  (audience === "operator" && (path === "/operator" || path === "/simple-operator"));

export async function loadHome(audience: string | undefined): Promise<void> {
  await Promise.all([
    import("./app-root"),
    import("./signed-in"),
    audience === "operator" ? import("#/features/operator/operator-page") : loadPages(),
    audience === "manager" && import("#/routes/-manager-home"),
  ]);
}
