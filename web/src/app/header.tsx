import { clsx } from "clsx";
import { LogOut, Menu as MenuIcon } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { useNavigation } from "#/shared/navigation";
import { Brand } from "#/shared/ui/brand";
import { Button } from "#/shared/ui/button";
import { LanguageSwitch } from "#/shared/language-switch";
import { PageLink } from "#/shared/ui/page-link";
import { linksAt, linksFor, type NavLink } from "./nav";
import { AccountMenu, MoreMenu } from "./nav-menus";
import { SlideInMenu } from "./slide-in-menu-on-demand";
import { useLogout } from "./use-logout";

export function Header({ user, tools }: { user: User; tools: ReactNode }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const { logout, pending } = useLogout();
  const audience = audienceOf(user);
  const links = linksFor(user);
  const underMore = linksAt(links, "more");
  return (
    <header className="no-print sticky top-0 z-30 border-b border-line bg-raised">
      <div className="mx-auto flex h-14 max-w-(--container-page) items-center gap-2 px-4 lg:px-6">
        <PageLink
          to="/"
          aria-label={t("shell.home")}
          // Where the bar has no room for the name, only the sign is shown.
          className="inline-flex overflow-hidden rounded-control text-ink max-[23rem]:w-7 lg:max-[70rem]:w-7"
        >
          <Brand />
        </PageLink>
        <nav aria-label={t("shell.mainNavigation")} className="hidden min-w-0 flex-1 lg:block">
          <ul className="flex gap-0.5">
            {linksAt(links, "bar").map((link) => (
              <BarLink key={link.label} link={link} />
            ))}
            {underMore.length > 0 && (
              <li>
                <MoreMenu links={underMore} />
              </li>
            )}
          </ul>
        </nav>
        <div className="ml-auto flex items-center gap-1">{tools}</div>
        <div className="hidden items-center gap-1 lg:flex">
          <LanguageSwitch />
          <AccountMenu user={user} links={linksAt(links, "account")} />
          <Button
            variant="quiet"
            title={t("shell.logout")}
            onClick={logout}
            pending={pending}
            pendingLabel={t("shell.loggingOut")}
          >
            <LogOut aria-hidden className="size-4" />
            <span className={clsx(underMore.length > 0 && "sr-only")}>{t("shell.logout")}</span>
          </Button>
        </div>
        <div className="flex items-center gap-1 lg:hidden">
          {/* Crews share phones, so the language is one press away. */}
          {audience === "operator" && <LanguageSwitch />}
          <Button
            variant="quiet"
            icon
            aria-label={t("shell.openMenu")}
            aria-haspopup="dialog"
            onClick={() => setOpen(true)}
          >
            <MenuIcon aria-hidden className="size-6" />
          </Button>
        </div>
      </div>
      {open && (
        <SlideInMenu
          onClose={() => setOpen(false)}
          user={user}
          links={links}
          onLogout={logout}
          loggingOut={pending}
        />
      )}
    </header>
  );
}

function BarLink({ link }: { link: NavLink }) {
  const { t } = useTranslation();
  const { path } = useNavigation();
  return (
    <li className={clsx(link.place === "wideBar" && "max-xl:hidden")}>
      <PageLink
        to={link.to}
        {...(link.area?.test(path) && { "aria-current": true })}
        className="inline-flex h-11 items-center desk:h-9 rounded-control px-2 font-semibold whitespace-nowrap text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:text-ink"
      >
        {t(link.label)}
        {link.badge && (
          <Suspense>
            <link.badge />
          </Suspense>
        )}
      </PageLink>
    </li>
  );
}
