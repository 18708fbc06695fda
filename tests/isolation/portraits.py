"""What people may try with portraits: write, read and take back their own, and try everybody else's."""

from __future__ import annotations

from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.isolation.world import QUESTIONS, Person, World, one_of

WORDINGS = ("I follow {}.", "我喜欢{}的分析。", "Answers about {}")
anybody = strategies.integers(0, 19)
any_one = strategies.integers(0, 9_999)


class Portraits(RuleBasedStateMachine):
    """The rules of portraits, on one world that all examples go on with."""

    world: World

    @rule(who=anybody, which=any_one, in_group=strategies.booleans(), sentence=any_one)
    def write_a_portrait(self, who: int, which: int, in_group: bool, sentence: int) -> None:
        """Into what stands there, as a person does who corrects it."""
        person = self.world.people[who]
        path, group = self._portrait(person, which, in_group)
        before = self.world.call(person, "get", path)
        known = before.json()["own_body"] if before.status_code == 200 else ""
        told = one_of(WORDINGS, sentence).format(self.world.needles.mint(person.id, "said", group=group))
        self.world.call(person, "patch", path, {"body": f"{known[-2_000:]}\n- {told}"})

    @rule(who=anybody, which=any_one, in_group=strategies.booleans())
    def read_a_portrait(self, who: int, which: int, in_group: bool) -> None:
        person = self.world.people[who]
        path, _ = self._portrait(person, which, in_group)
        self.world.call(person, "get", path)
        self.world.call(person, "get", f"{path}/revisions")

    @rule(who=anybody, which=any_one, in_group=strategies.booleans())
    def take_a_portrait_back(self, who: int, which: int, in_group: bool) -> None:
        person = self.world.people[who]
        path, _ = self._portrait(person, which, in_group)
        self.world.call(person, "post", f"{path}/rollback", {"revision": which % 7 or None})

    @rule(who=anybody, which=any_one, whom=any_one)
    def try_anothers_portrait(self, who: int, which: int, whom: int) -> None:
        """Of anybody, and of any group, whoever asks; what is written there must not be anybody's."""
        person = self.world.people[who]
        other = one_of(
            [*(("user", one.id) for one in self.world.people), *(("group", one.id) for one in self.world.groups)], whom
        )
        path = f"entity-profiles/{other[0]}/{other[1]}"
        method, body = one_of((("get", None), ("get", None), ("post", {"revision": 1})), which)
        self.world.call(person, method, f"{path}/rollback" if method == "post" else path, body)

    @rule(who=anybody, whom=any_one, which=any_one)
    def search_portraits(self, who: int, whom: int, which: int) -> None:
        needle = one_of(list(self.world.needles.by_word), whom)
        query = one_of(QUESTIONS, which) if which % 2 or not needle else f"answers about {needle}"
        self.world.call(self.world.people[who], "post", "entity-profiles/search", {"query": query, "top_k": 50})

    @rule(who=anybody, which=any_one, in_group=strategies.booleans())
    def forget_a_portrait(self, who: int, which: int, in_group: bool) -> None:
        person = self.world.people[who]
        path, _ = self._portrait(person, which, in_group)
        self.world.call(person, "delete", path)

    def _portrait(self, person: Person, which: int, in_group: bool) -> tuple[str, str]:
        """The address of the person's own or of one of their groups, and that group's id or nothing."""
        group = one_of(self.world.groups_of(person), which) if in_group else None
        return (f"entity-profiles/group/{group.id}", group.id) if group else ("entity-profiles/user/me", "")
