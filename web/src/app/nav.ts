import type { ComponentType } from "react";
import type { User } from "#/session/session";
import { audienceOf, mayReadAuditLog, type Audience } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import type { NavTarget } from "./nav-icons";

export interface NavLink {
  to: NavTarget;
  label: TextKey;
  audience: readonly Audience[];
  /** Hides the link from users of the audience who may not open the page. */
  only?: (user: User) => boolean;
  /**
   * Its place in the header: in the bar, under More, or behind the profile button; "wideBar" is in
   * the bar where it is wide enough, else under More. The slide-in menu lists all links.
   */
  place: "bar" | "wideBar" | "more" | "account" | "moreAndAccount";
  /** Other pages that belong to it. */
  area?: RegExp;
  /** Content beside the label, e.g. a count; loaded only where the link is shown. */
  badge?: ComponentType;
}

const PendingBadge = lazyWithTexts(["person"], () =>
  import("#/features/updates/pending-badge").then((module) => module.PendingBadge),
);

/** In the order of the menus. */
const navLinks: readonly NavLink[] = [
  {
    to: "/",
    label: key("shell.titles.dashboard"),
    audience: ["manager"],
    place: "bar",
  },
  {
    to: "/review",
    label: key("shell.titles.review"),
    audience: ["manager"],
    place: "bar",
    badge: PendingBadge,
  },
  {
    to: "/",
    label: key("shell.titles.equipmentUpdates"),
    audience: ["operator"],
    place: "bar",
  },
  {
    to: "/equipment-list",
    label: key("shell.titles.equipmentList"),
    audience: ["manager"],
    place: "bar",
    area: /^\/(equipment|retired-equipment)(\/|$)/,
  },
  {
    to: "/service",
    label: key("shell.titles.service"),
    audience: ["manager"],
    place: "bar",
    area: /^\/task-sets$/,
  },
  {
    to: "/fuel",
    label: key("shell.titles.fuel"),
    audience: ["manager"],
    place: "wideBar",
  },
  {
    to: "/add-equipment",
    label: key("shell.titles.addEquipment"),
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/employees",
    label: key("shell.titles.operators"),
    audience: ["manager"],
    place: "bar",
  },
  {
    to: "/retired-equipment",
    label: key("shell.titles.retired"),
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/subscription",
    label: key("shell.titles.subscription"),
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/instructions",
    label: key("shell.titles.instructions"),
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/contact",
    label: key("shell.titles.contact"),
    audience: ["manager"],
    place: "more",
  },
  {
    to: "/profile",
    label: key("shell.titles.profile"),
    audience: ["manager", "operator"],
    place: "account",
  },
  {
    to: "/settings",
    label: key("shell.titles.settings"),
    audience: ["manager"],
    place: "moreAndAccount",
  },
  {
    to: "/audit-log",
    label: key("shell.titles.auditLog"),
    audience: ["manager"],
    only: mayReadAuditLog,
    place: "moreAndAccount",
  },
  {
    to: "/admin-accounts",
    label: key("shell.titles.adminAccounts"),
    audience: ["staff"],
    place: "bar",
  },
  {
    to: "/password",
    label: key("shell.titles.password"),
    audience: ["staff"],
    place: "account",
  },
];

/** The links of one place of the header. */
export function linksAt(
  links: readonly NavLink[],
  where: "bar" | "more" | "account",
): readonly NavLink[] {
  const places: Record<typeof where, ReadonlyArray<NavLink["place"]>> = {
    bar: ["bar", "wideBar"],
    more: ["wideBar", "more", "moreAndAccount"],
    account: ["account", "moreAndAccount"],
  };
  return links.filter(({ place }) => places[where].includes(place));
}

/** The links of the header and the slide-in menu for this user. */
export function linksFor(user: User): readonly NavLink[] {
  const audience = audienceOf(user);
  return navLinks.filter((link) => link.audience.includes(audience) && (link.only?.(user) ?? true));
}
