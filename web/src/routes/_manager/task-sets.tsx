import { createFileRoute } from "@tanstack/react-router";
import { TaskSetsPage } from "#/features/equipment/task-sets/task-sets-page";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/task-sets")({
  staticData: { title: key("shell.titles.taskSets") },
  loader: ({ context }) => prefetch(context, (pages) => pages.taskSets()),
  component: TaskSetsPage,
});
