import { useTranslation } from "react-i18next";
import { Select } from "#/shared/ui/select";
import { useGroups } from "./use-groups";

/** Chooses a group, or equipment without one. Companies without groups do not see it. */
export function GroupFilter({
  value,
  onChange,
}: {
  /** Empty: without a group. */
  value: string | undefined;
  onChange: (group: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const groups = useGroups();
  if (groups.length === 0 && value === undefined) return null;
  // A link may name a group that no machine has any more.
  const known = value ? new Set([...groups, value]) : groups;
  return (
    <Select
      label={t("equipment-form.fields.group")}
      all={t("equipment-list.group.all")}
      // The empty value of the select is "all".
      value={value === undefined ? undefined : `=${value}`}
      options={[
        ...[...known].map((group) => ({ value: `=${group}`, label: group })),
        { value: "=", label: t("equipment-list.group.none") },
      ]}
      onChange={(chosen) => onChange(chosen?.slice(1))}
    />
  );
}

/** "Group: Crew North"; undefined for all groups. */
export function useGroupNote(): (group: string | undefined) => string | undefined {
  const { t } = useTranslation();
  return (group) =>
    group === undefined
      ? undefined
      : `${t("equipment-form.fields.group")}: ${group || t("equipment-list.group.none")}`;
}
