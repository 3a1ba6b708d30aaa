import { Check, Minus } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Role } from "#/domain/permissions";
import { useRoleLabel } from "#/shared/words/role-label";
import { key, type TextKey } from "#/i18n/key";
import { ScrollX } from "./scroll-x";

const roles = ["owner", "manager", "operator"] as const satisfies readonly Role[];

const tasks: ReadonlyArray<{ text: TextKey; may: ReadonlyArray<(typeof roles)[number]> }> = [
  { text: key("instructions.people.send"), may: roles },
  { text: key("instructions.people.office"), may: ["owner", "manager"] },
  { text: key("instructions.people.crew"), may: ["owner", "manager"] },
  { text: key("instructions.people.managers"), may: ["owner"] },
  { text: key("instructions.people.audit"), may: ["owner"] },
];

export function RolesTable() {
  const { t } = useTranslation();
  const roleLabel = useRoleLabel();
  const cell = "px-2 py-2.5 text-left first:pl-3 md:px-4 md:first:pl-4";
  return (
    <ScrollX label={t("instructions.people.title")}>
      <table
        aria-label={t("instructions.people.title")}
        className="w-full border-collapse max-md:text-sm"
      >
        <thead>
          <tr className="bg-sunken text-xs text-muted">
            <th scope="col" className={cell}>
              {t("instructions.people.what")}
            </th>
            {roles.map((role) => (
              <th key={role} scope="col" className={cell}>
                {roleLabel(role)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.text} className="border-t border-line">
              <th scope="row" className={`${cell} font-normal`}>
                {t(task.text)}
              </th>
              {roles.map((role) => (
                <td key={role} className={cell}>
                  <Allowed yes={task.may.includes(role)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function Allowed({ yes }: { yes: boolean }) {
  const { t } = useTranslation();
  const Icon = yes ? Check : Minus;
  return (
    <>
      <Icon aria-hidden className={`size-4 ${yes ? "text-accent" : "text-muted"}`} />
      <span className="sr-only">
        {yes ? t("instructions.people.yes") : t("instructions.people.no")}
      </span>
    </>
  );
}
