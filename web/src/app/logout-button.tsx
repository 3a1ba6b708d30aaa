import { LogOut } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { useLogout } from "./use-logout";

/**
 * Shown below an operator's page on small screens, where the header has no room; `always`: on pages
 * without a header.
 */
export function LogoutButton({ always = false }: { always?: boolean }) {
  const { t } = useTranslation();
  const { logout, pending } = useLogout();
  return (
    <Button
      wide
      className={always ? "mt-8" : "mt-8 lg:hidden"}
      onClick={logout}
      pending={pending}
      pendingLabel={t("shell.loggingOut")}
    >
      <LogOut aria-hidden className="size-4" />
      {t("shell.logout")}
    </Button>
  );
}
