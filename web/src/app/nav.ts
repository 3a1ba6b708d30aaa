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
   * Its place in the header: in the bar, under More, or behind the profile button. The slide-in menu
   * lists all links.
   */
  place: "bar" | "more" | "account";
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
  },
  {
    to: "/service",
    label: key("shell.titles.service"),
    audience: ["manager"],
    place: "bar",
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
    place: "account",
  },
  {
    to: "/audit-log",
    label: key("shell.titles.auditLog"),
    audience: ["manager"],
    only: mayReadAuditLog,
    place: "account",
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

/** The links of the header and the slide-in menu for this user. */
export function linksFor(user: User): readonly NavLink[] {
  const audience = audienceOf(user);
  return navLinks.filter((link) => link.audience.includes(audience) && (link.only?.(user) ?? true));
}
