import { LogOut } from "lucide-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/session";
import { initialsOf, personName } from "#/domain/person";
import { useRoleLabel } from "#/shared/words/role-label";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { ContrastChoiceRow } from "#/shared/ui/contrast-choice";
import { LanguageSwitch } from "#/shared/language-switch";
import { PageLink } from "#/shared/ui/page-link";
import { Sheet } from "#/shared/ui/sheet";
import { ThemeChoiceRow } from "#/shared/ui/theme-choice";
import type { NavLink } from "./nav";
import { navIcons } from "./nav-icons";

/** The header's content on small screens. */
export function SlideInMenu({
  onClose,
  user,
  links,
  onLogout,
  loggingOut,
}: {
  onClose: () => void;
  user: User;
  links: readonly NavLink[];
  onLogout: () => void;
  loggingOut: boolean;
}) {
  const { t } = useTranslation();
  const roleLabel = useRoleLabel();
  const name = personName(user);
  return (
    <Sheet
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("shell.menu")}
      footer={
        <Button wide onClick={onLogout} pending={loggingOut} pendingLabel={t("shell.loggingOut")}>
          <LogOut aria-hidden className="size-4" />
          {t("shell.logout")}
        </Button>
      }
    >
      <div className="flex items-center gap-3 border-b border-line px-4 py-3">
        <span
          aria-hidden
          className="grid size-11 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent"
        >
          {initialsOf(name)}
        </span>
        <div className="min-w-0 flex-1">
          <p className="truncate font-semibold">{name}</p>
          <Badge>{roleLabel(user.role)}</Badge>
        </div>
        <LanguageSwitch />
      </div>
      <nav aria-label={t("shell.mainNavigation")} className="border-b border-line p-2">
        <ul className="space-y-0.5">
          {links.map((link) => {
            const Icon = navIcons[link.to];
            return (
              <li key={link.label}>
                <PageLink
                  to={link.to}
                  onClick={onClose}
                  className="flex min-h-12 items-center gap-3 rounded-touch px-3 font-semibold text-ink hover:bg-sunken aria-[current=page]:bg-sunken"
                >
                  <Icon aria-hidden className="size-5 text-muted" />
                  {t(link.label)}
                  {link.badge && (
                    <Suspense>
                      <link.badge />
                    </Suspense>
                  )}
                </PageLink>
              </li>
            );
          })}
        </ul>
      </nav>
      <div className="space-y-4 p-4">
        <ThemeChoiceRow />
        <ContrastChoiceRow />
      </div>
    </Sheet>
  );
}
