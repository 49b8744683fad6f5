"""Proximal policy optimization [Schulman et al. 2017] in plain torch, for one vector environment."""

import dataclasses
import time

import numpy as np
import torch


@dataclasses.dataclass
class Options:
    steps: int = 24  # of each environment between two updates
    epochs: int = 4  # of an update, over all samples
    minibatches: int = 4
    hidden: tuple = (128, 128)
    discount: float = 0.99
    trace: float = 0.95  # lambda of the advantages
    clip: float = 0.2
    entropy: float = 0.003
    value_weight: float = 1.0
    learning_rate: float = 1e-3
    wanted_kl: float = 0.01  # the learning rate follows it
    deviation: float = 0.6  # of the actions, at first


def network(sizes):
    """Layers with ELU between them."""
    layers = []
    for k in range(len(sizes) - 1):
        layers.append(torch.nn.Linear(sizes[k], sizes[k + 1]))
        if k + 2 < len(sizes):
            layers.append(torch.nn.ELU())
    return torch.nn.Sequential(*layers)


class Agent(torch.nn.Module):
    """Normal actions around a network's answer, and a network that values states."""

    def __init__(self, observations, actions, options):
        super().__init__()
        self.actor = network([observations, *options.hidden, actions])
        self.critic = network([observations, *options.hidden, 1])
        self.log_deviation = torch.nn.Parameter(
            torch.full((actions,), float(np.log(options.deviation)))
        )
        with torch.no_grad():  # begin near the pose
            self.actor[-1].weight.mul_(0.01)
            self.actor[-1].bias.zero_()

    def distribution(self, observations):
        return torch.distributions.Normal(self.actor(observations), self.log_deviation.exp())

    def value(self, observations):
        return self.critic(observations).squeeze(-1)


class Ppo:
    """`env` resets in the same step. `mirror`: indices and signs of observations and actions under
    an exchange of left and right, as QuadrupedFlat.mirror() gives them; every other epoch learns
    from mirrored samples."""

    def __init__(self, env, seed=0, options=None, mirror=None):
        if env.autoreset_mode.value != "SameStep":
            raise ValueError("the environment must be made with autoreset_mode='SameStep'")
        torch.manual_seed(seed)
        self.env = env
        self.options = options or Options()
        self.agent = Agent(
            env.single_observation_space.shape[0], env.single_action_space.shape[0], self.options
        )
        self.optimizer = torch.optim.Adam(self.agent.parameters(), self.options.learning_rate)
        self.mirror = None if mirror is None else [torch.as_tensor(part) for part in mirror]
        self.iteration = 0
        self.history = []  # one row per iteration, see learn()
        self.seconds = {"physics": 0.0, "learning": 0.0}
        observations, _ = env.reset(seed=seed)
        # Episodes end at different times.
        env.core.elapsed[:] = np.random.default_rng(seed).integers(
            0, env.core.most_steps, env.num_envs
        )
        self.observations = torch.from_numpy(observations)

    # ---- one iteration ---------------------------------------------------------------------------

    def collect(self):
        """Samples of all environments, and what happened meanwhile."""
        o, env = self.options, self.env
        keep = {name: [] for name in ("observations", "actions", "log_prob", "values", "rewards",
                                      "ends")}
        falls, error = 0, []
        for _ in range(o.steps):
            with torch.no_grad():
                distribution = self.agent.distribution(self.observations)
                actions = distribution.sample()
                log_prob = distribution.log_prob(actions).sum(-1)
                values = self.agent.value(self.observations)
            before = time.perf_counter()
            observations, rewards, terminations, truncations, infos = env.step(actions.numpy())
            self.seconds["physics"] += time.perf_counter() - before
            rewards = torch.from_numpy(rewards).float()
            if truncations.any():  # the episode would have gone on: its value counts
                last = torch.from_numpy(np.stack(infos["final_obs"][truncations]))
                with torch.no_grad():
                    rewards[torch.from_numpy(truncations)] += o.discount * self.agent.value(last)
            for name, value in (("observations", self.observations), ("actions", actions),
                                ("log_prob", log_prob), ("values", values), ("rewards", rewards),
                                ("ends", torch.from_numpy(terminations | truncations).float())):
                keep[name].append(value)
            falls += int(terminations.sum())
            error.append(float(infos["velocity_error"].mean()) if "velocity_error" in infos else 0)
            self.observations = torch.from_numpy(observations)
        samples = {name: torch.stack(values) for name, values in keep.items()}
        return samples, {"falls": falls, "error": float(np.mean(error)),
                         "reward": float(samples["rewards"].mean())}

    def advantages(self, samples):
        """Generalized advantages [Schulman et al. 2016]."""
        o = self.options
        with torch.no_grad():
            next_value = self.agent.value(self.observations)
        advantage = torch.zeros_like(next_value)
        result = torch.zeros_like(samples["rewards"])
        for t in reversed(range(o.steps)):
            goes_on = 1.0 - samples["ends"][t]
            delta = samples["rewards"][t] + o.discount * next_value * goes_on - samples["values"][t]
            advantage = delta + o.discount * o.trace * goes_on * advantage
            result[t] = advantage
            next_value = samples["values"][t]
        return result

    def update(self, samples):
        """Several epochs of gradient steps. Returns the mean divergence from the old policy."""
        o = self.options
        advantages = self.advantages(samples)
        flat = {name: value.flatten(0, 1) for name, value in samples.items()}
        returns = (advantages + samples["values"]).flatten()
        advantages = advantages.flatten()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        size = len(returns) // o.minibatches
        divergences = []
        for epoch in range(o.epochs):
            observations, actions = flat["observations"], flat["actions"]
            if self.mirror is not None and epoch % 2 == 1:
                seen, seen_signs, legs, leg_signs = self.mirror
                observations = observations[:, seen] * seen_signs.float()
                actions = actions[:, legs] * leg_signs.float()
            order = torch.randperm(len(returns))
            for k in range(o.minibatches):
                pick = order[k * size : (k + 1) * size]
                distribution = self.agent.distribution(observations[pick])
                log_prob = distribution.log_prob(actions[pick]).sum(-1)
                log_ratio = log_prob - flat["log_prob"][pick]
                ratio = log_ratio.exp()
                advantage = advantages[pick]
                surrogate = -torch.min(
                    ratio * advantage, ratio.clamp(1.0 - o.clip, 1.0 + o.clip) * advantage
                ).mean()
                value_loss = (self.agent.value(observations[pick]) - returns[pick]).pow(2).mean()
                entropy = distribution.entropy().sum(-1).mean()
                loss = surrogate + o.value_weight * value_loss - o.entropy * entropy
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.agent.parameters(), 1.0)
                self.optimizer.step()
                with torch.no_grad():
                    divergences.append(float((ratio - 1.0 - log_ratio).mean()))
            self.adapt(np.mean(divergences[-o.minibatches :]))
        return float(np.mean(divergences))

    def adapt(self, divergence):
        """Smaller steps where the policy changes fast, larger ones where it hardly does."""
        for group in self.optimizer.param_groups:
            if divergence > 2.0 * self.options.wanted_kl:
                group["lr"] = max(1e-5, group["lr"] / 1.5)
            elif divergence < 0.5 * self.options.wanted_kl:
                group["lr"] = min(2e-3, group["lr"] * 1.5)

    def learn(self):
        """One iteration; its row of the history."""
        begin, physics = time.perf_counter(), self.seconds["physics"]
        samples, told = self.collect()
        divergence = self.update(samples)
        took = time.perf_counter() - begin
        self.seconds["learning"] += took - (self.seconds["physics"] - physics)
        self.iteration += 1
        row = {
            "iteration": self.iteration,
            "samples": self.iteration * self.options.steps * self.env.num_envs,
            "seconds": sum(self.seconds.values()),
            "physics_seconds": self.seconds["physics"],
            **told,
            "divergence": divergence,
            "deviation": float(self.agent.log_deviation.exp().mean()),
        }
        self.history.append(row)
        return row

    # ---- checkpoints -----------------------------------------------------------------------------

    def save(self, file):
        """All that the next iteration depends on."""
        torch.save({
            "agent": self.agent.state_dict(), "optimizer": self.optimizer.state_dict(),
            "env": self.env.memory(), "observations": self.observations,
            "random": torch.get_rng_state(), "iteration": self.iteration,
            "history": self.history, "seconds": self.seconds,
        }, file)

    def load(self, file):
        """Goes on from a checkpoint with the same bits."""
        kept = torch.load(file)
        self.agent.load_state_dict(kept["agent"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.env.remember(kept["env"])
        self.observations = kept["observations"]
        torch.set_rng_state(kept["random"])
        self.iteration, self.history = kept["iteration"], kept["history"]
        self.seconds = kept["seconds"]

    def policy(self):
        """From observations, one or several rows, to actions without noise."""

        def act(observations):
            with torch.no_grad():
                return self.agent.actor(torch.as_tensor(observations)).clamp(-1.0, 1.0).numpy()

        return act

    def layers(self):
        """Weights and biases of the policy, as arrays."""
        return [(layer.weight.detach().numpy().astype(float),
                 layer.bias.detach().numpy().astype(float))
                for layer in self.agent.actor if isinstance(layer, torch.nn.Linear)]
