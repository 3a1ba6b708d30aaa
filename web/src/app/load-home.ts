export async function loadHome(audience: string | undefined): Promise<void> {
  await Promise.all([
    import("./app-root"),
    import("./signed-in"),
    audience === "operator" && import("#/features/operator/operator-page"),
    audience === "manager" && import("#/routes/-manager-home"),
  ]);
}
